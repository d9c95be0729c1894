package import TrialModel

/// A CSV file of a result folder. The type of its rows determines everything about it.
package struct ResultFile: RawRepresentable, Hashable, Sendable, CaseIterable {
    /// The type of the file's rows.
    package let rowType: any ResultRow.Type

    package init(_ rowType: any ResultRow.Type) { self.rowType = rowType }

    /// The file with a name; `nil` when no kind of row has it.
    package init?(rawValue: String) {
        guard let file = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = file
    }

    /// The name, such as `latency.csv`.
    package var rawValue: String { rowType.file }

    /// The names in the header, in order.
    package var columnNames: [String] { rowType.columnNames }

    /// The first line of the file.
    package var header: String { CSVWriter.line(columnNames) }

    package static let consistency = ResultFile(ConsistencyRow.self)
    package static let trials = ResultFile(TrialRow.self)
    package static let slices = ResultFile(SliceRow.self)
    package static let functions = ResultFile(FunctionRow.self)
    package static let races = ResultFile(RaceRow.self)
    package static let replay = ResultFile(ReplayRow.self)
    package static let replayIntervals = ResultFile(ReplayIntervalRow.self)
    package static let comparison = ResultFile(ComparisonRow.self)
    package static let exploration = ResultFile(ExplorationRow.self)
    package static let machines = ResultFile(MachineRow.self)

    /// Every file, in the order in which they are listed.
    package static let allCases: [ResultFile] =
        [trials] + PhaseResult.kinds.map { ResultFile($0) }
        + [consistency] + ofRaces + [replay, replayIntervals, comparison] + ofExploration + [machines]

    /// The files that a run of these scenarios writes in addition to ``ofRun``.
    package static func others(of scenarios: some Sequence<Scenario>) -> [ResultFile] {
        others { kind in scenarios.contains { kind.isExpected(of: $0) } }
    }

    /// The files that hold these results in addition to ``ofRun``, for callers that don't know the scenarios.
    package static func others(of results: some Sequence<PhaseResult>) -> [ResultFile] {
        others { kind in results.contains { $0.has(kind) } }
    }

    private static func others(_ isWanted: (any MeasurementRow.Type) -> Bool) -> [ResultFile] {
        PhaseResult.kinds.filter { !$0.isExpected(of: nil) && isWanted($0) }.map { ResultFile($0) }
    }

    /// The files that every `run` writes.
    package static let ofRun = [trials] + PhaseResult.kinds.filter { $0.isExpected(of: nil) }.map { ResultFile($0) }
    /// The files of a `run` whose strategies take turns.
    package static let ofInterleavedRun = ofRun + [slices]
    /// The files that `races` writes.
    package static let ofRaces = [races, ResultFile(ControlRow.self)]
    /// The file that `replay` writes.
    package static let ofReplay = [replay]
    /// The file that `compare` writes.
    package static let ofComparison = [comparison]
    /// The file of a `run` that explores schedules.
    package static let ofExploration = [exploration]
}

extension PhaseResult {
    /// Whether there is a row of this kind.
    fileprivate func has<Row: MeasurementRow>(_: Row.Type) -> Bool { !self[keyPath: Row.place].isEmpty }
}
