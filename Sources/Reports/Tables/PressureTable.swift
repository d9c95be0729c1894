import TrialModel

/// The memory that strategies released under memory pressure, and the cost of releasing it: a short table below the
/// ranked one, with a row for each phase that begins with memory pressure.
///
/// Figures are medians of the repetitions that completed. The rows have the order of the ranked table.
package struct PressureTable {
    private let ranking: ScenarioRanking

    package init(_ ranking: ScenarioRanking) {
        self.ranking = ranking
    }

    /// `nil` where no phase begins with memory pressure.
    package var table: Table? {
        let rows = phases.flatMap { phase in ranking.places.compactMap { row($0.summary.strategy, in: phase) } }
        guard !rows.isEmpty else { return nil }
        return Table(
            title: "\(ranking.scenario), memory pressure",
            caption:
                "Given back: bytes released within 100 ms, and bytes still released at the end of the phase. "
                + "Back after: operations until the hit ratio reached 90 % of the ratio before.",
            columns: Self.columns, rows: rows)
    }

    /// The strategy of each row.
    package var strategies: [String] {
        table?.rows.map { $0.count > 1 ? $0[1].text : "" } ?? []
    }

    private var phases: [String] {
        var phases: [String] = []
        for result in ranking.results where result.pressure != nil && !phases.contains(result.trial.key.phase) {
            phases.append(result.trial.key.phase)
        }
        return phases
    }

    private static let columns = [
        TableColumn("level"), TableColumn("strategy"), TableColumn("asked", name: "responds"),
        TableColumn("held", name: "bytes_before", .right, isSpare: true),
        TableColumn("given back", name: "bytes_given_back", .right),
        TableColumn("share", name: "share_given_back", .right),
        TableColumn("at the end", name: "bytes_given_back_at_end", .right, isSpare: true),
        TableColumn("answer", name: "response_ns", .right, isSpare: true),
        TableColumn("hits after", name: "hit_ratio_after", .right),
        TableColumn("back after", name: "operations_to_recovery", .right),
        TableColumn("in flight", name: "loads_in_flight", .right, isSpare: true),
        TableColumn("failed", name: "loads_failed", .right),
        TableColumn("restarted", name: "loads_restarted", .right),
    ]

    private func row(_ strategy: String, in phase: String) -> [TableCell]? {
        let rows = ranking.results.filter {
            $0.trial.key.phase == phase && $0.trial.key.trial.strategy == strategy && $0.trial.status == .completed
        }.compactMap(\.pressure)
        guard let first = rows.first else { return nil }
        func median(_ path: KeyPath<PressureRow, UInt64?>) -> UInt64? { rows.compactMap { $0[keyPath: path] }.median }
        let shares = rows.compactMap(\.shareGivenBack)
        return [
            .text(first.level.rawValue), .text(strategy), .text(first.responds ? "yes" : "no"),
            .bytes(median(\.bytesBefore)), .bytes(median(\.bytesGivenBack)), .ratio(shares.median),
            .bytes(median(\.bytesGivenBackAtEnd)), .duration(median(\.responseNanoseconds)),
            .ratio(rows.compactMap(\.hitRatioAfter).median), .count(median(\.operationsToRecovery)),
            .count(median(\.loadsInFlight)), .count(median(\.loadsFailed)), .count(median(\.loadsRestarted)),
        ]
    }
}
