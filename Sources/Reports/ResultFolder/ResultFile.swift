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
    /// Lies beside result folders, not inside one.
    case history = "history.csv"

    /// The files that a run of these scenarios writes in addition to ``ofRun``.
    package static func others(of scenarios: some Sequence<Scenario>) -> [ResultFile] {
        var files: [ResultFile] = []
        if scenarios.contains(where: { $0.phases.contains { $0.frames != nil } }) { files += [.frames, .frameTimes] }
        if scenarios.contains(where: { $0.phases.contains { $0.memoryPressure != nil } }) { files.append(.pressure) }
        if scenarios.contains(where: { $0.phases.contains { $0.prefetching != nil } }) { files.append(.prefetch) }
        if scenarios.contains(where: \.keepsStages) { files.append(.stages) }
        return files
    }

    /// The files that hold these results in addition to ``ofRun``, for callers that don't know the scenarios.
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

    /// The files that every `run` writes.
    package static let ofRun: [ResultFile] = [.trials, .latency, .hitRate, .memory, .timeline]
    /// The files of a `run` whose strategies take turns.
    package static let ofInterleavedRun: [ResultFile] = ofRun + [.slices]
    /// The files of a `run` that counts instructions and records the functions with the most instructions.
    package static let ofProfiledRun: [ResultFile] = ofRun + [.functions]
    /// The files of a `run` that checks strategies against their promises.
    package static let ofCheckedRun: [ResultFile] = ofRun + [.consistency]
    /// The files of a `run` that searches for the highest rate.
    package static let ofRateSearch: [ResultFile] = ofRun + [.rateSearch]
    /// The files that `races` writes.
    package static let ofRaces: [ResultFile] = [.races, .controls]
    /// The file that `replay` writes.
    package static let ofReplay: [ResultFile] = [.replay]
    /// The file that `compare` writes.
    package static let ofComparison: [ResultFile] = [.comparison]

    /// The file of a `run` that explores schedules.
    package static let ofExploration: [ResultFile] = [.exploration]

    /// The type of the file's rows.
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

    /// How many of the first columns identify a row of a run: no two rows of a file have the same texts in all of them.
    var namingColumnCount: Int? {
        switch self {
        case .machines: 3
        case .trials, .memory, .consistency, .frames, .pressure, .prefetch: 4
        case .hitRate, .rateSearch, .slices, .functions, .frameTimes: 5
        case .timeline: 6
        case .stages: 7
        case .latency: 8
        case .races, .controls, .replay, .comparison, .exploration, .history: nil
        }
    }

    /// Whether the later column `tier` is also part of a row's identity.
    var isNamedByTier: Bool { self == .hitRate || self == .latency }

    /// The first line of the file.
    package var header: String { CSVWriter.line(columnNames) }
}
