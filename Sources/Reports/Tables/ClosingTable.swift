package import TrialModel

/// The tables that a run ends with: one for each scenario, with its strategies ranked.
///
/// **The order.** What a cache is for is to spare the origin: first come the fewest requests to the origin per lookup.
/// (Hits alone would punish the strategy that lets a hundred callers share one load: its callers all miss.) Among those
/// that are alike in this comes first the lower 99th percentile of what the caller waits for. Without an origin's log,
/// misses per lookup stand in; without lookups, the percentile alone decides. A rank is one more than the number of
/// strategies that are surely better, as `SureOrder` defines it; those that share a rank stand in the order of their
/// medians, which is chance.
///
/// **The figures** are medians over the repetitions that completed, of two in the middle their mean. A phase is measured
/// when any strategy has latency rows for it; warm-ups have none. Within a repetition:
///
/// - The ratios, hits and requests to the origin per lookup, are means of the measured phases' ratios: each phase that
///   had lookups counts once, however far the strategy got in it.
/// - The counts, origin loads and duplicates, are sums over the measured phases. In a phase that the clock ends, a
///   fast strategy does more and so counts more: compare the ratios.
/// - The times, p50, p99 and its range, and operations per second, are those of one phase, the same for all
///   strategies, because percentiles of several phases can be neither added nor averaged: the phase in which all
///   strategies together booked most of the operation in question. That is `load`, or `burst` when the measured phases
///   booked more of it, or all operations when they booked neither. The caption names both.
///
/// The rank goes by what callers wait for, whatever carries them; two caches by themselves compare only with equal drivers.
package enum ClosingTable {
    /// Strategies that show a bound or a trap, by what is written in place of their rank.
    package static let marks = [
        "none": "bound", "unbounded": "bound", "optimal": "bound", "unsynchronized": "control", "stale": "control",
        "leaky-loads": "control",
    ]

    /// A table for each scenario, in the order in which they first appear; where a phase has frames, key pools are told apart or
    /// phases open strategies again, others with their figures follow it.
    ///
    /// - Parameters:
    ///   - results: the rows of a run, from the runner or from ``ResultFolder/read(at:)``.
    ///   - marks: what stands in place of the rank, by strategy; such strategies come last.
    ///   - contracts: what a strategy promises otherwise than most, by strategy; shown where those of a table differ.
    package static func tables(
        _ results: [PhaseResult], marks: [String: String] = marks, contracts: [String: String] = [:]
    ) -> [Table] {
        ScenarioRanking.all(results, marks: marks).flatMap {
            ClosingTableBuilder(ranking: $0, contracts: $0.differing(contracts)).tables
        }
    }
}

/// One scenario's table.
private struct ClosingTableBuilder {
    let ranking: ScenarioRanking
    let contracts: [String: String]

    var tables: [Table] {
        let table = Table(
            title: "\(ranking.scenario)", caption: ranking.caption, columns: Self.columns,
            rows: ranking.places.map { row($0.rank, $0.summary) }, notes: ranking.notes)
        return [table] + FrameTable.tables(ranking)
            + [PressureTable(ranking).table, PrefetchTable(ranking).table, ranking.poolTable, ranking.launchTable]
            .compactMap(\.self)
    }

    private static let columns = [
        TableColumn("rank", .right), TableColumn("strategy"),
        TableColumn("hits", name: "hit_ratio", .right),
        TableColumn("to origin", name: "origin_loads_per_lookup", .right),
        TableColumn("origin loads", name: "origin_loads", .right, isSpare: true),
        TableColumn("duplicates", name: "duplicate_loads", .right),
        TableColumn("p50", name: "p50_ns", .right), TableColumn("p99", name: "p99_ns", .right),
        TableColumn("p99 min–max", name: "p99_range_ns", .right, isSpare: true),
        TableColumn("ops/s", name: "operations_per_second", .right),
        TableColumn("driver", isSpare: true), TableColumn("contract", isSpare: true), TableColumn("status"),
    ]

    private func row(_ rank: String, _ summary: StrategySummary) -> [TableCell] {
        [
            .text(rank), .text(summary.strategy), .ratio(summary.hitRatio), .ratio(summary.originShare),
            .count(summary.originLoads), .count(summary.duplicateLoads), .duration(summary.p50),
            .duration(summary.p99),
            range(summary.p99Range),
            summary.operationsPerSecond.map { TableCell(Quantity.rate($0), value: .number($0, places: 3)) } ?? .empty,
            .text(summary.driver), .text(contracts[summary.strategy] ?? ""), .text(summary.status),
        ]
    }

    private func range(_ value: ClosedRange<UInt64>?) -> TableCell {
        value.map {
            TableCell(Quantity.durations($0), value: .text("\($0.lowerBound)-\($0.upperBound)"))
        } ?? .empty
    }
}
