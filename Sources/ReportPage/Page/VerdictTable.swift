import Reports
import TrialModel

/// Strategies by the most important figures, a table for each scenario.
struct VerdictTable {
    let content: ReportContent
    let rankings: [ScenarioRanking]

    /// One scenario's table, with absolute figures.
    func table(_ ranking: ScenarioRanking) -> Table {
        Self.withoutGoodNews(
            Table(
                title: ranking.title, caption: ranking.caption,
                columns: [TableColumn("rank", .right), TableColumn("strategy")] + ranking.decidingColumns
                    + Self.columns,
                rows: ranking.places.map { place in
                    [.text(place.rank), .text(place.summary.strategy)] + ranking.decidingCells(place)
                        + row(place, ranking)
                }, notes: ranking.notes))
    }

    /// The table without columns that report no problem for any strategy; a sentence replaces each.
    static func withoutGoodNews(_ table: Table) -> Table {
        var table = table
        var news: [String] = []
        for (name, value, sentence) in [
            ("status", TableCell.Value.text("completed"), "Every trial that ran completed."),
            ("wrong_answers", .integer(0), "No answer was wrong."),
            ("contract", .text(""), ""),
        ] {
            guard let column = table.columns.firstIndex(where: { $0.name == name }), !table.rows.isEmpty,
                table.rows.allSatisfy({ $0[column].value == value })
            else { continue }
            table.columns.remove(at: column)
            for row in table.rows.indices { table.rows[row].remove(at: column) }
            if !sentence.isEmpty { news.append(sentence) }
        }
        if !news.isEmpty { table.notes.insert(news.joined(separator: " "), at: 0) }
        return table
    }

    private static let columns = [
        TableColumn("hits", name: "hit_ratio", .right),
        TableColumn("of optimum", name: "share_of_optimum", .right),
        TableColumn("to origin", name: "origin_loads_per_lookup", .right),
        TableColumn("hit p50", name: "hit_p50_ns", .right),
        TableColumn("p99", name: "p99_ns", .right), TableColumn("p99 min–max", name: "p99_range_ns", .right),
        TableColumn("ops/s", name: "operations_per_second", .right),
        TableColumn("bytes/entry", name: "bytes_per_entry", .right),
        TableColumn("duplicates", name: "duplicate_loads", .right), TableColumn("races", name: "races_verdict"),
        TableColumn("consistency"), TableColumn("wrong answers", name: "wrong_answers", .right),
        TableColumn("driver"), TableColumn("contract"), TableColumn("status"),
    ]

    private func row(_ place: ScenarioRanking.Place, _ ranking: ScenarioRanking) -> [TableCell] {
        let summary = place.summary
        let contract = ranking.differing(content.contracts)[summary.strategy] ?? ""
        return [
            TableCell.ratio(summary.hitRatio),
            TableCell.ratio(summary.shareOfOptimum), TableCell.ratio(summary.originShare),
            TableCell.duration(summary.hitP50),
            TableCell.duration(summary.p99), Cell.durations(summary.p99Range), Cell.rate(summary.operationsPerSecond),
            Cell.bytes(summary.bytesPerEntry), TableCell.count(summary.duplicateLoads), races(summary.strategy),
            consistency(summary.strategy, in: ranking.scenario), .integer(summary.wrongAnswers), .text(summary.driver),
            .text(contract), .text(summary.status),
        ]
    }

    func races(_ strategy: String) -> TableCell {
        content.worstRace(of: strategy).map { .text($0.verdict.rawValue) } ?? .empty
    }

    func consistency(_ strategy: String, in scenario: ScenarioPoint?) -> TableCell {
        let words = content.promises.filter { line in
            line.strategy == strategy && (scenario == nil || line.scenario.name.isEmpty || line.scenario == scenario)
        }.map(\.verdict)
        // Few trials can show every promise, so an unknown promise does not hide a known one.
        let order = ["inconsistent", "consistent", "unknown"]
        return order.first(where: words.contains).map(TableCell.text) ?? words.first.map(TableCell.text) ?? .empty
    }
}

/// Cells of figures that may be missing.
enum Cell {
    static func durations(_ range: ClosedRange<UInt64>?) -> TableCell {
        range.map { TableCell(Quantity.durations($0), value: .integer($0.upperBound)) } ?? .empty
    }

    static func rate(_ value: Double?) -> TableCell {
        value.map { TableCell(Quantity.rate($0), value: .number($0, places: 3)) } ?? .empty
    }

    static func bytes(_ value: Double?) -> TableCell {
        value.map { TableCell(TickText.bytes($0), value: .number($0, places: 3)) } ?? .empty
    }
}
