import TrialModel

/// The benefit and the cost of prefetching: a short table below the ranked one, with a row for each phase and strategy.
/// Phases without prefetches have rows for comparison.
///
/// Figures are medians of the repetitions that completed. The rows have the order of the ranked table.
package struct PrefetchTable {
    private let ranking: ScenarioRanking

    package init(_ ranking: ScenarioRanking) {
        self.ranking = ranking
    }

    /// `nil` where no phase measures prefetches.
    package var table: Table? {
        let rows = ranking.places.flatMap { place in phases.compactMap { row(place.summary.strategy, in: $0) } }
        guard !rows.isEmpty else { return nil }
        return Table(
            title: "\(ranking.scenario), prefetch",
            caption:
                "Times are those of lookups. Useful: prefetched values that a lookup found or waited for. Wasted: "
                + "the bytes of the others. Lost: keys on the screen that were gone when they were looked up "
                + "again. Whose: whether the strategy has a prefetch of its own.",
            columns: Self.columns, rows: rows)
    }

    /// The strategy of each row.
    package var strategies: [String] { table?.rows.map { $0.count > 1 ? $0[1].text : "" } ?? [] }

    private var phases: [String] {
        var phases: [String] = []
        for result in ranking.results where result.prefetch != nil && !phases.contains(result.trial.key.phase) {
            phases.append(result.trial.key.phase)
        }
        return phases
    }

    private static let columns = [
        TableColumn("phase"), TableColumn("strategy"), TableColumn("whose", name: "own", isSpare: true),
        TableColumn("hits", name: "hit_ratio", .right), TableColumn("p50", name: "p50_ns", .right),
        TableColumn("p99", name: "p99_ns", .right), TableColumn("to origin", name: "origin_loads", .right),
        TableColumn("prefetched", name: "requests", .right), TableColumn("useful", name: "useful_share", .right),
        TableColumn("wasted", name: "wasted_bytes", .right), TableColumn("joined", .right, isSpare: true),
        TableColumn("called off", name: "cancelled", .right, isSpare: true),
        TableColumn("inversions", .right), TableColumn("late", name: "late_requests", .right),
        TableColumn("lost", name: "visible_lost", .right),
    ]

    private func row(_ strategy: String, in phase: String) -> [TableCell]? {
        let results = ranking.results.filter {
            $0.trial.key.phase == phase && $0.trial.key.trial.strategy == strategy && $0.trial.status == .completed
        }
        let rows = results.compactMap(\.prefetch)
        guard let first = rows.first else { return nil }
        func median(_ path: KeyPath<PrefetchRow, UInt64?>) -> UInt64? { rows.compactMap { $0[keyPath: path] }.median }
        func median(_ path: KeyPath<PrefetchRow, UInt64>) -> UInt64? { rows.map { $0[keyPath: path] }.median }
        let lookups = results.compactMap {
            ($0.latency.asCallersSee(.only(.load)) ?? $0.latency.asCallersSee(.only(.read)))?.latency
        }
        return [
            .text(phase), .text(strategy), .text(first.isOwn ? "its own" : "plain"),
            .ratio(results.compactMap { $0.hitRate?.hitRatio }.median), .duration(lookups.map(\.p50).median),
            .duration(lookups.map(\.p99).median),
            .count(results.compactMap { $0.hitRate?.originLoads }.median), .count(median(\.requests)),
            .ratio(rows.compactMap(\.usefulShare).median), .bytes(median(\.wastedBytes)), .count(median(\.joined)),
            .count(median(\.cancelled)), .count(median(\.inversions)), .count(median(\.late)),
            .count(median(\.visibleLost)),
        ]
    }
}
