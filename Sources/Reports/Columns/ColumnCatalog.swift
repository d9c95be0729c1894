package import TrialModel

/// The columns of every result file, each declared once; writers, readers and `list columns` all take them from here.
package enum ColumnCatalog {
    /// The columns of `trials.csv`.
    package static let trials = TrialRow.columns
    /// The columns of `latency.csv`.
    package static let latency = LatencyRow.columns
    /// The columns of `hit-rate.csv`.
    package static let hitRate = HitRateRow.columns
    /// The columns of `memory.csv`.
    package static let memory = MemoryRow.columns
    /// The columns of `timeline.csv`.
    package static let timeline = TimelineRow.columns
    /// The columns of `slices.csv`.
    package static let slices = SliceRow.columns
    /// The columns of `consistency.csv`.
    package static let consistency = ConsistencyRow.columns
    /// The columns of `rate-search.csv`.
    package static let rateSearch = RateSearchRow.columns
    /// The columns of `races.csv`.
    package static let races = RaceRow.columns
    /// The columns of `controls.csv`.
    package static let controls = ControlRow.columns
    /// The columns of `replay.csv`.
    package static let replay = ReplayRow.columns
    /// The columns of `comparison.csv`.
    package static let comparison = ComparisonRow.columns
    /// The columns of `exploration.csv`.
    package static let exploration = ExplorationRow.columns
    /// The columns of `machines.csv`.
    package static let machines = MachineRow.columns
    /// The columns of `history.csv`.
    package static let history = HistoryRow.columns

    /// Every column of every file, in the order of the files.
    package static let descriptions: [ColumnDescription] =
        describe(trials, in: .trials) + describe(latency, in: .latency) + describe(hitRate, in: .hitRate)
        + describe(memory, in: .memory) + describe(timeline, in: .timeline) + describe(slices, in: .slices)
        + describe(consistency, in: .consistency) + describe(rateSearch, in: .rateSearch)
        + describe(races, in: .races) + describe(controls, in: .controls) + describe(replay, in: .replay)
        + describe(comparison, in: .comparison) + describe(exploration, in: .exploration)
        + describe(machines, in: .machines) + describe(history, in: .history)

    /// What `list columns` prints.
    package static var table: Table {
        Table(
            columns: [
                TableColumn("file"), TableColumn("column"), TableColumn("unit"), TableColumn("type"),
                TableColumn("repeats"), TableColumn("meaning"),
            ],
            rows: descriptions.map {
                [
                    .text($0.file), .text($0.name), .text($0.unit), .text($0.type.rawValue),
                    .text($0.repeats ? "yes" : ""), .text($0.meaning),
                ]
            }
        )
    }

    private static func describe<Row>(_ columns: [Column<Row>], in file: ResultFile) -> [ColumnDescription] {
        columns.map {
            ColumnDescription(
                file: file.rawValue, name: $0.name, unit: $0.unit, type: $0.type,
                repeats: repeatingColumns[file]?.contains($0.name) ?? false, meaning: $0.meaning)
        }
    }
}
