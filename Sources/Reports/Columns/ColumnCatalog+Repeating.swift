import TrialModel

extension ColumnCatalog {
    /// The columns whose cells are the same in every run of the same trials, on any machine: the counts of a replay,
    /// and the counts of the phases that `run.json` calls exact. In an exact phase one client sends a fixed number of
    /// operations and no clock influences the result. Background work of a strategy may still change its counts.
    package static let repeatingColumns: [ResultFile: Set<String>] = [
        .trials: keys.union(["driver", "status", "operations", "wrong_answers", "hits_of_first_100"]),
        .latency: keys.union(["pool", "operation", "outcome", "basis", "count"]),
        .hitRate: Set(HitRateRow.columnNames),
        .memory: keys,
        .consistency: swept.union(["scenario", "strategy", "repetition", "promise", "verdict"]),
        .replay: Set(ReplayRow.columnNames).subtracting(["requests_per_second"]),
    ]

    private static let keys: Set<String> = swept.union(["scenario", "strategy", "repetition", "phase"])
    private static let swept = Set(SweepDimension.allCases.map(\.columnName))
}
