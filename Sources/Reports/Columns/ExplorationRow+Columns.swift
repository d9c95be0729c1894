package import TrialModel

extension ExplorationRow: ResultRow {
    /// A row with nothing in it, to be filled from cells.
    package static var blank: ExplorationRow {
        ExplorationRow(scenario: "", strategy: "", promise: .ownValues, verdict: .unknown)
    }

    /// The columns of `exploration.csv`.
    package static var columns: [Column<ExplorationRow>] {
        [
            Column("scenario", "The scenario's name.", \.scenario),
            Column("strategy", "The strategy's name.", \.strategy),
            Column("promise", "What was judged; `no-lost-caller` for a crash and a hang.", \.promise),
            Column("verdict", "`consistent`, `inconsistent`, `unknown`, `crashed` or `hung`.", \.verdict),
            Column("schedules", "Schedules that were run.", \.schedules),
            Column(
                "distinct_traces", "Schedules that differ in what a caller or the origin saw, or when.",
                \.distinctTraces),
            Column(
                "operations_checked", "Operations that could have broken the promise; those of equal traces once.",
                \.operationsChecked),
            Column("violations", "Schedules that broke the promise; those of equal traces once.", \.violations),
            Column("first_seed", "The seed of the first schedule that broke it.", \.firstSeed),
            Column("replay_command", "The command that runs that schedule again.", \.replayCommand),
            Column(
                "script_file", "The smallest script that breaks the promise, relative to the result folder.",
                \.scriptFile),
            Column("script_seed", "The seed with which that script breaks it.", \.scriptSeed),
            Column(
                "trace_digest", "All that happened in all schedules, as 16 hexadecimal digits.", \.traceDigest),
            Column("example", "What shows the violation, or why there is no verdict.", \.example),
        ]
    }
}

extension ExplorationVerdict: CellValue {
    static var columnType: ColumnType { .text }
    var cellText: String { rawValue }
    init?(cellText: String) { self.init(rawValue: cellText) }
}
