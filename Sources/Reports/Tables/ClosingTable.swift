package import TrialModel

/// The tables that a run ends with: one for each scenario, with its strategies ranked.
///
/// **The order.** What a cache is for is to spare the origin: first come the fewest requests to the origin per lookup,
/// compared in whole per cent, since two strategies that differ by less are alike in this. (Hits alone would punish
/// the strategy that lets a hundred callers share one load: its callers all miss.) Among those that are alike comes
/// first the lower 99th percentile of what the caller waits for. Without an origin's log, misses per lookup stand in;
/// without lookups, the percentile alone decides.
///
/// **The figures** are medians over the repetitions that completed; of two in the middle the worse. Counts are sums
/// over the measured phases of a repetition; percentiles are those of the repetition's slowest phase, because
/// percentiles of several phases can be neither added nor averaged. A phase is measured when any strategy has latency
/// rows for it; warm-ups have none.
package enum ClosingTable {
    /// Strategies that show a bound or a trap, by what is written in place of their rank.
    package static let marks = [
        "none": "bound", "unbounded": "bound", "optimal": "bound", "unsynchronized": "control", "stale": "control",
        "leaky-loads": "control",
    ]

    /// A table for each scenario, in the order in which they first appear.
    ///
    /// - Parameters:
    ///   - results: the rows of a run, from the runner or from ``ResultFolder/read(at:)``.
    ///   - marks: what stands in place of the rank, by strategy; such strategies come last.
    package static func tables(_ results: [PhaseResult], marks: [String: String] = marks) -> [Table] {
        var order: [String] = []
        for scenario in results.map(\.trial.key.trial.scenario) where !order.contains(scenario) {
            order.append(scenario)
        }
        let grouped = Dictionary(grouping: results, by: \.trial.key.trial.scenario)
        return order.compactMap { name in
            grouped[name].map { ClosingTableBuilder(scenario: name, results: $0, marks: marks).table }
        }
    }
}

/// One scenario's table.
private struct ClosingTableBuilder {
    let scenario: String
    let results: [PhaseResult]
    let marks: [String: String]

    var table: Table {
        let measured = Set(results.filter { !$0.latency.isEmpty }.map(\.trial.key.phase))
        let operation = self.operation
        let summaries = Dictionary(grouping: results, by: \.trial.key.trial.strategy).map { name, rows in
            StrategySummary(strategy: name, results: rows, measured: measured, operation: operation)
        }
        let ranked = ClosingRanking(summaries.filter { marks[$0.strategy] == nil && $0.isRanked })
        let failed = summaries.filter { marks[$0.strategy] == nil && !$0.isRanked }.sorted {
            $0.strategy < $1.strategy
        }
        let marked = summaries.filter { marks[$0.strategy] != nil }.sorted { $0.strategy < $1.strategy }

        var rows = ranked.order.enumerated().map { row(String($0 + 1), $1) }
        rows += failed.map { row("–", $0) }
        rows += marked.map { row(marks[$0.strategy] ?? "", $0) }
        let all = ranked.order + failed + marked
        return Table(
            title: scenario,
            caption: caption(ranking: ranked, phases: measured.count, operation: operation, summaries: all),
            columns: Self.columns, rows: rows,
            notes: all.flatMap { summary in summary.reasons.map { "\(summary.strategy) \($0)" } }
        )
    }

    /// Loads are what a caller waits for; where there are none, everything counts.
    private var operation: String {
        results.contains { RepetitionFigures.latency($0, operation: OperationKind.load.rawValue) != nil }
            ? OperationKind.load.rawValue : "all"
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
        TableColumn("driver", isSpare: true), TableColumn("status"),
    ]

    private func row(_ rank: String, _ summary: StrategySummary) -> [TableCell] {
        [
            .text(rank), .text(summary.strategy), ratio(summary.hitRatio), ratio(summary.originShare),
            count(summary.originLoads), count(summary.duplicateLoads), duration(summary.p50), duration(summary.p99),
            range(summary.p99Range),
            summary.operationsPerSecond.map { TableCell(Quantity.rate($0), value: .number($0, places: 3)) } ?? .empty,
            .text(summary.driver), .text(summary.status),
        ]
    }

    private func ratio(_ value: Double?) -> TableCell {
        value.map { TableCell(Quantity.percent($0), value: .number($0, places: 6)) } ?? .empty
    }

    private func count(_ value: UInt64?) -> TableCell {
        value.map { TableCell(Quantity.count($0), value: .integer($0)) } ?? .empty
    }

    private func duration(_ value: UInt64?) -> TableCell {
        value.map { TableCell(Quantity.duration(nanoseconds: $0), value: .integer($0)) } ?? .empty
    }

    private func range(_ value: ClosedRange<UInt64>?) -> TableCell {
        value.map {
            TableCell(Quantity.durations($0), value: .text("\($0.lowerBound)-\($0.upperBound)"))
        } ?? .empty
    }

    private func caption(
        ranking: ClosingRanking, phases: Int, operation: String, summaries: [StrategySummary]
    ) -> String {
        let waited = operation == "all" ? "all operations" : "a \(operation)"
        var parts = ["Ranked by \(ranking.criterion)p99 of \(waited)."]
        let repetitions = Set(results.map(\.trial.key.trial.repetition)).count
        if repetitions > 1 {
            parts.append("Medians of \(repetitions) repetitions; where ranges of p99 overlap, their order is chance.")
        }
        if phases > 1 { parts.append("Counts over \(phases) phases; p50 and p99 of the slowest phase.") }
        if Set(summaries.map(\.driver).filter { !$0.isEmpty }).count > 1 {
            parts.append("Times compare only between equal drivers.")
        }
        return parts.joined(separator: " ")
    }
}

/// The order of the strategies of one scenario, and the words for it.
private struct ClosingRanking {
    let order: [StrategySummary]
    /// What comes before the percentile, ending in `, then `; empty when nothing does.
    let criterion: String

    init(_ summaries: [StrategySummary]) {
        let share: (StrategySummary) -> Double?
        if summaries.allSatisfy({ $0.originShare != nil }) {
            share = \.originShare
            criterion = "requests to the origin per lookup (in whole per cent), then "
        } else if summaries.allSatisfy({ $0.hitRatio != nil }) {
            share = { $0.hitRatio.map { 1 - $0 } }
            criterion = "misses per lookup (in whole per cent), then "
        } else {
            share = { _ in nil }
            criterion = ""
        }
        order = summaries.sorted { left, right in
            let shares = ((share(left) ?? 0) * 100).rounded() - ((share(right) ?? 0) * 100).rounded()
            if shares != 0 { return shares < 0 }
            let tails = (left.p99 ?? .max, right.p99 ?? .max)
            if tails.0 != tails.1 { return tails.0 < tails.1 }
            return left.strategy < right.strategy
        }
    }
}
