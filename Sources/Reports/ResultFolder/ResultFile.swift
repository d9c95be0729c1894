package import TrialModel

/// The CSV files of a result folder.
package enum ResultFile: String, Codable, Hashable, Sendable, CaseIterable {
    case trials = "trials.csv"
    case latency = "latency.csv"
    case hitRate = "hit-rate.csv"
    case memory = "memory.csv"
    case timeline = "timeline.csv"
    case slices = "slices.csv"
    case functions = "functions.csv"
    case frames = "frames.csv"
    case frameTimes = "frame-times.csv"
    case pressure = "pressure.csv"
    case prefetch = "prefetch.csv"
    case stages = "stages.csv"
    case consistency = "consistency.csv"
    case rateSearch = "rate-search.csv"
    case races = "races.csv"
    case controls = "controls.csv"
    case replay = "replay.csv"
    case comparison = "comparison.csv"
    case exploration = "exploration.csv"
    case machines = "machines.csv"
    /// Beside result folders, not in one.
    case history = "history.csv"

    /// What a run of these scenarios writes beside ``ofRun``.
    package static func others(of scenarios: some Sequence<Scenario>) -> [ResultFile] {
        var files: [ResultFile] = []
        if scenarios.contains(where: { $0.phases.contains { $0.frames != nil } }) { files += [.frames, .frameTimes] }
        if scenarios.contains(where: { $0.phases.contains { $0.memoryPressure != nil } }) { files.append(.pressure) }
        if scenarios.contains(where: { $0.phases.contains { $0.prefetching != nil } }) { files.append(.prefetch) }
        if scenarios.contains(where: \.keepsStages) { files.append(.stages) }
        return files
    }

    /// What the results of a run stand in beside ``ofRun``, where nobody knows its scenarios.
    package static func others(of results: some Sequence<PhaseResult>) -> [ResultFile] {
        var files: Set<ResultFile> = []
        for result in results {
            if result.frames != nil { files.formUnion([.frames, .frameTimes]) }
            if result.pressure != nil { files.insert(.pressure) }
            if result.prefetch != nil { files.insert(.prefetch) }
            if !result.stages.isEmpty { files.insert(.stages) }
        }
        return allCases.filter(files.contains)
    }

    /// What every `run` writes.
    package static let ofRun: [ResultFile] = [.trials, .latency, .hitRate, .memory, .timeline]
    /// What a `run` writes whose strategies take turns.
    package static let ofInterleavedRun: [ResultFile] = ofRun + [.slices]
    /// What a `run` writes that counts instructions and keeps the functions that took most.
    package static let ofProfiledRun: [ResultFile] = ofRun + [.functions]
    /// What a `run` writes that holds strategies to their promises.
    package static let ofCheckedRun: [ResultFile] = ofRun + [.consistency]
    /// What a `run` writes that searches for the highest rate.
    package static let ofRateSearch: [ResultFile] = ofRun + [.rateSearch]
    /// What `races` writes.
    package static let ofRaces: [ResultFile] = [.races, .controls]
    /// What `replay` writes.
    package static let ofReplay: [ResultFile] = [.replay]
    /// What `compare` writes.
    package static let ofComparison: [ResultFile] = [.comparison]

    /// What a `run` writes that explores schedules.
    package static let ofExploration: [ResultFile] = [.exploration]

    /// The type of its rows.
    package var rowType: any ResultRow.Type {
        switch self {
        case .trials: TrialRow.self
        case .latency: LatencyRow.self
        case .hitRate: HitRateRow.self
        case .memory: MemoryRow.self
        case .timeline: TimelineRow.self
        case .slices: SliceRow.self
        case .functions: FunctionRow.self
        case .frames: FramesRow.self
        case .frameTimes: FrameTimeRow.self
        case .pressure: PressureRow.self
        case .prefetch: PrefetchRow.self
        case .stages: StageRow.self
        case .consistency: ConsistencyRow.self
        case .rateSearch: RateSearchRow.self
        case .races: RaceRow.self
        case .controls: ControlRow.self
        case .replay: ReplayRow.self
        case .comparison: ComparisonRow.self
        case .exploration: ExplorationRow.self
        case .machines: MachineRow.self
        case .history: HistoryRow.self
        }
    }

    /// The names in the header, in order.
    package var columnNames: [String] { rowType.columnNames }

    /// How many columns, from the first, name a row of a run: no two rows of a file have the same texts in them.
    var namingColumnCount: Int? {
        switch self {
        case .trials, .memory, .consistency, .machines, .frames, .pressure, .prefetch: 4
        case .hitRate, .rateSearch, .slices, .functions, .frameTimes: 5
        case .timeline: 6
        case .stages: 7
        case .latency: 8
        case .races, .controls, .replay, .comparison, .exploration, .history: nil
        }
    }

    /// Whether its column `tier`, which stands further behind, names a row as well.
    var isNamedByTier: Bool { self == .hitRate || self == .latency }

    /// The line that the file starts with.
    package var header: String { CSVWriter.line(columnNames) }
}
