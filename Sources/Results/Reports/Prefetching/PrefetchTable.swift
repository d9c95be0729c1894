import TrialModel

extension ScenarioRanking {
    /// The benefit and the cost of prefetching; `nil` where no phase measures prefetches. Phases without prefetches have
    /// rows for comparison.
    package var prefetchTable: Table? {
        let rows = completed { $0.prefetch != nil }
        let ordered = strategies.flatMap { name in rows.filter { $0.strategy == name } }
        return rows.isEmpty
            ? nil
            : Table(
                title: "\(scenario), prefetch",
                caption:
                    "Times are those of lookups. Useful: prefetched values that a lookup found or waited for. Wasted: "
                    + "the bytes of the others. Lost: keys on the screen that were gone when they were looked up "
                    + "again. Whose: whether the strategy has a prefetch of its own.",
                of: ordered, Self.prefetchColumns)
    }

    private static var prefetchColumns: [TableColumn<Repetitions>] {
        [
            TableColumn("phase") { .text($0.phase) }, TableColumn("strategy") { .text($0.strategy) },
            TableColumn("whose", name: "own", isSpare: true) {
                .text($0.results.first?.prefetch?.isOwn == true ? "its own" : "plain")
            },
            TableColumn("hits", name: "hit_ratio", .right) { .ratio($0.median(\.hitRate?.hitRatio)) },
            TableColumn("p50", name: "p50_ns", .right) { .duration($0.median(\.lookupLatency?.p50)) },
            TableColumn("p99", name: "p99_ns", .right) { .duration($0.median(\.lookupLatency?.p99)) },
            .median("origin loads", \HitRateRow.originLoads),
            .median("prefetched", \PrefetchRow.requests),
            TableColumn("useful", name: "useful_share", .right) { .ratio($0.median(\.prefetch?.usefulShare)) },
            .median("wasted", \PrefetchRow.wastedBytes),
            .median("coalesced", \PrefetchRow.joined, isSpare: true),
            .median("called off", \PrefetchRow.cancelled, isSpare: true),
            .median("late", \PrefetchRow.late),
            .median("lost", \PrefetchRow.visibleLost),
        ]
    }
}

extension PhaseResult {
    fileprivate var lookupLatency: LatencySummary? {
        (latency.asCallersSee(.only(.load)) ?? latency.asCallersSee(.only(.read)))?.latency
    }
}
