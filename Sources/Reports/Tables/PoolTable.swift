import TrialModel

/// The figures of each key pool of a scenario for each strategy: a short table below the ranked one.
///
/// The figures are made like those of ``ClosingTable``, of the same phase and operation, but from the rows of one pool
/// instead of the rows of all keys. The rows have the order of the ranked table.
struct PoolTable {
    let scenario: ScenarioPoint
    let results: [PhaseResult]
    /// The names of the measured phases.
    let measured: Set<String>
    let times: TimesSource?
    /// The strategies, the first rank first.
    let strategies: [String]

    /// `nil` where pools are not measured separately.
    var table: Table? {
        let pools = names
        guard !pools.isEmpty else { return nil }
        return Table(
            title: "\(scenario), by pool", caption: "In the order above, and of the same phase and operation.",
            columns: Self.columns,
            rows: pools.flatMap { pool in strategies.compactMap { row(pool, $0) } })
    }

    /// The pools in the order in which they first appear.
    private var names: [Selection<String>] {
        var names: [Selection<String>] = []
        for name in results.flatMap(\.poolHitRates).map(\.pool) where !names.contains(name) { names.append(name) }
        return names
    }

    private static let columns = [
        TableColumn("pool"), TableColumn("strategy"), TableColumn("hits", name: "hit_ratio", .right),
        TableColumn("to origin", name: "origin_loads_per_lookup", .right),
        TableColumn("duplicates", name: "duplicate_loads", .right, isSpare: true),
        TableColumn("hit p50", name: "hit_p50_ns", .right), TableColumn("p99", name: "p99_ns", .right),
    ]

    private func row(_ pool: Selection<String>, _ strategy: String) -> [TableCell]? {
        let own = results.filter { $0.trial.key.trial.strategy == strategy }.map { $0.narrowed(to: pool) }
        let summary = StrategySummary(strategy: strategy, results: own, measured: measured, times: times)
        guard summary.hitRatio != nil || summary.p99 != nil else { return nil }
        return [
            .text(pool.rawValue), .text(strategy), .ratio(summary.hitRatio), .ratio(summary.originShare),
            .count(summary.duplicateLoads), .duration(summary.hitP50), .duration(summary.p99),
        ]
    }
}
