import Reports
import TrialModel

extension VerdictTable {
    /// All scenarios: shares and factors, since figures of different scenarios can't be added or averaged. The best
    /// strategies come first: those with the fewest requests to the origin, by the median of the scenarios.
    ///
    /// A figure covers every scenario. Columns that only some scenarios have are left out, and named below.
    var overview: Table {
        let results = names.map { OverallResult($0, rankings, marks: content.marks) }
        let sorted = results.filter { !$0.isMarked }.sorted() + results.filter(\.isMarked).sorted()
        let table = Table(
            title: "All \(rankings.count) scenarios",
            caption: "Every figure covers all \(rankings.count) scenarios. Factors and shares are relative to the best "
                + "strategy of a scenario with the same driver: the median of the scenarios, and the worst.",
            columns: Self.overviewColumns, rows: sorted.map(row))
        return Self.withoutGoodNews(withoutPartialFigures(table))
    }

    /// Empty where all strategies promise the same.
    private var contracts: [String: String] {
        Set(names.map { content.contracts[$0] ?? "" }).count > 1 ? content.contracts : [:]
    }

    private func row(_ result: OverallResult) -> [TableCell] {
        [
            .text(result.strategy), TableCell.ratio(result.origin), TableCell.ratio(result.share),
            result.shareWorst.map {
                TableCell("\(Quantity.percent($0.value)) in \($0.scenario)", value: .number($0.value, places: 6))
            } ?? .empty,
            Cell.factor(result.p50), Cell.factor(result.p99),
            result.p99Worst.map {
                TableCell("\(TickText.factor($0.value)) in \($0.scenario)", value: .number($0.value, places: 3))
            } ?? .empty,
            TableCell.ratio(result.throughput), Cell.bytes(result.bytesPerEntry),
            TableCell.count(result.duplicates), races(result.strategy),
            consistency(result.strategy, in: nil), .integer(result.wrongAnswers),
            .text(result.driver), .text(contracts[result.strategy] ?? ""), .text(result.status),
        ]
    }

    private static let overviewColumns = [
        TableColumn("strategy"), TableColumn("to origin", name: "origin_median", .right),
        TableColumn("of optimum", name: "share_median", .right),
        TableColumn("worst", name: "share_worst"), TableColumn("p50", name: "p50_factor", .right),
        TableColumn("p99", name: "p99_factor", .right),
        TableColumn("worst p99", name: "p99_factor_worst"), TableColumn("ops/s", name: "throughput_share", .right),
        TableColumn("bytes/entry, most", name: "bytes_per_entry", .right),
        TableColumn("duplicates", name: "duplicate_loads", .right), TableColumn("races", name: "races_verdict"),
        TableColumn("consistency"), TableColumn("wrong answers", name: "wrong_answers", .right),
        TableColumn("driver"), TableColumn("contract"), TableColumn("status"),
    ]

    /// The columns that hold figures of scenarios, and whether a scenario has the figure of a strategy.
    private static let figures: [(columns: [String], isIn: @Sendable (StrategySummary) -> Bool)] = [
        (["origin_median"], { $0.originShare != nil }),
        (["share_median", "share_worst"], { $0.shareOfOptimum != nil }),
        (["p50_factor"], { $0.p50 != nil }), (["p99_factor", "p99_factor_worst"], { $0.p99 != nil }),
        (["throughput_share"], { $0.operationsPerSecond != nil }), (["bytes_per_entry"], { $0.bytesPerEntry != nil }),
        (["duplicate_loads"], { $0.duplicateLoads != nil }),
    ]

    /// The table without columns that are empty because some scenario lacks the figure, with a note for each.
    private func withoutPartialFigures(_ table: Table) -> Table {
        var table = table
        var isCellEmpty = false
        for (names, isIn) in Self.figures {
            guard let first = table.columns.firstIndex(where: { $0.name == names.first }) else { continue }
            let known = rankings.filter { $0.places.contains { isIn($0.summary) } }.map(\.scenario.description)
            if table.rows.contains(where: { $0[first].value != .none }) {
                isCellEmpty = isCellEmpty || table.rows.contains { $0[first].value == .none }
            } else if !known.isEmpty {
                table.notes.append(gap(table.columns[first].header, known))
                for name in names {
                    guard let index = table.columns.firstIndex(where: { $0.name == name }) else { continue }
                    table.columns.remove(at: index)
                    for row in table.rows.indices { table.rows[row].remove(at: index) }
                }
            }
        }
        if isCellEmpty { table.notes.append("A strategy without a figure lacks it in at least one of the scenarios.") }
        return table
    }

    /// Why a column is left out. It lists the shorter of two lists: the scenarios with the figure, or those without.
    private func gap(_ header: String, _ known: [String]) -> String {
        let missing = rankings.map(\.scenario.description).filter { !known.contains($0) }
        let reason =
            missing.isEmpty
            ? "each strategy lacks it in some scenario"
            : missing.count < known.count
                ? "there is no figure in \(missing.joined(separator: ", "))"
                : "only \(known.joined(separator: ", ")) \(known.count == 1 ? "has" : "have") it"
        return "The column `\(header)` is left out: \(reason). The tables of the scenarios show it."
    }
}
