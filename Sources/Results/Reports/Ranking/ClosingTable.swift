import TrialModel

/// The tables at the end of a run: one for each scenario, with its strategies ranked.
///
/// **The order.** What decides is the scenario's `decided-by`. Without it, the usual order holds: the purpose of a cache
/// is to spare the origin, so the fewest requests to the origin per lookup come first. (Hits alone would punish
/// single-flight: when a hundred callers share one load, all of them miss.) Among strategies that are the same in this,
/// the lower 99th percentile of the time that callers wait comes first. Without an origin's log, misses per lookup
/// replace requests; without lookups, or where keys are prefetched, the percentile alone decides. The sign `●` marks the
/// best strategy, `=` those that can't be told apart from it, as `Ranks` defines it. Strategies of one sign are in the order
/// of their medians.
///
/// **The figures** are medians over the repetitions that all sound strategies completed (for an even number, the mean of the
/// two in the middle). A phase is measured when any strategy has latency rows for it; warm-ups have none. Within a repetition:
///
/// - The ratios, hits and requests to the origin per lookup, are means of the measured phases' ratios: each phase that
///   had lookups counts once, however far the strategy got in it. A phase in which every miss was a failed load, as
///   without a network, does not count.
/// - The counts, origin loads and duplicates, are sums over the measured phases. In a phase that ends by the clock, a
///   fast strategy does more operations and so counts more: compare the ratios.
/// - The times, the p50 of hits, p99 and its range, and operations per second, are those of one phase, the same for all strategies,
///   because percentiles of several phases can be neither added nor averaged. It is the phase in which all strategies
///   together recorded most of the operation in question. That operation is `load`; or `burst`, when the measured
///   phases recorded more of it; or all operations, when they recorded neither. The caption names both.
///
/// The rank uses the time that callers wait, with any driver; compare two caches by themselves only with equal
/// drivers.
package enum ClosingTable {
    /// Strategies that show a bound or a known defect, with the mark that replaces their rank.
    package static let marks = [
        "none": "baseline", "unbounded": "baseline", "optimal": "bound", "unsynchronized": "control",
        "stale": "control",
        "leaky-loads": "control",
    ]

    /// The table of a scenario. Further tables follow where a phase has frames, where key pools are measured separately, or
    /// where phases open strategies again.
    ///
    /// - Parameter contracts: promises that differ from those of most strategies, by strategy; shown where those of the
    ///   table differ.
    package static func tables(of ranking: ScenarioRanking, contracts: [String: String] = [:]) -> [Table] {
        let ranked = ranking.table([
            .hits, .toOrigin,
            TableColumn("origin loads", name: "origin_loads", .right, isSpare: true) { .count($0.originLoads) },
            .duplicates(isSpare: true), .hitP50, .p99,
            .p99Range { .text("\($0.lowerBound)-\($0.upperBound)") }, .rate, .driver,
            .contract(ranking.differing(contracts)), .status,
        ])
        let others = [
            ranking.pressureTable, ranking.invalidationTable, ranking.prefetchTable, ranking.poolTable,
            ranking.launchTable,
        ]
        return [ranked] + ranking.frameTables.map(\.table) + others.compactMap(\.self)
    }
}

/// The columns of ranked strategies, on the page and below a run.
extension TableColumn<StrategySummary> {
    package static var strategy: Self { Self("strategy") { .text($0.strategy) } }
    package static var hits: Self { Self("hits", name: "hit_ratio", .right) { .ratio($0.hitRatio) } }
    package static var toOrigin: Self {
        Self("to origin", name: "origin_loads_per_lookup", .right) { .ratio($0.originShare) }
    }
    /// Loads of a key while another load of it was in flight.
    package static func duplicates(isSpare: Bool = false) -> Self {
        Self("duplicates", name: "duplicate_loads", .right, isSpare: isSpare) { .count($0.duplicateLoads) }
    }
    package static var hitP50: Self { Self("hit p50", name: "hit_p50_ns", .right) { .duration($0.hitP50) } }
    package static var p99: Self { Self("p99", name: "p99_ns", .right) { .duration($0.p99) } }
    /// - Parameter value: the value for programs.
    package static func p99Range(_ value: @escaping (ClosedRange<UInt64>) -> TableCell.Value) -> Self {
        Self("p99 min–max", name: "p99_range_ns", .right, isSpare: true) { summary in
            summary.p99Range.map { TableCell(Quantity.durations($0), value: value($0)) } ?? .empty
        }
    }
    package static var rate: Self {
        Self("ops/s", name: "operations_per_second", .right) { .rate($0.operationsPerSecond) }
    }
    package static var driver: Self { Self("driver", isSpare: true) { .text($0.driver) } }
    /// - Parameter contracts: promises that differ from those of most strategies, by strategy.
    package static func contract(_ contracts: [String: String]) -> Self {
        Self("contract", isSpare: true) { .text(contracts[$0.strategy] ?? "") }
    }
    package static var status: Self { Self("status") { .text($0.status) } }
}
