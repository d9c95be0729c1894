import Reports
import TrialModel

/// Strategies by the most important figures, a table for each scenario.
extension ReportContent {
    /// One scenario's table, with absolute figures.
    func verdictTable(_ ranking: ScenarioRanking) -> Table {
        Self.withoutGoodNews(
            ranking.table([
                .hits, TableColumn("of optimum", name: "share_of_optimum", .right) { .ratio($0.shareOfOptimum) },
                .toOrigin, .hitP50, .p99, .p99Range { .integer($0.upperBound) }, .rate,
                TableColumn("bytes/entry", name: "bytes_per_entry", .right) {
                    .number($0.bytesPerEntry, places: 3, TickText.bytes)
                },
                .duplicates(),
                TableColumn("races", name: "races_verdict") { .text(worstRace(of: $0.strategy)?.verdict.rawValue) },
                TableColumn("consistency") { .text(consistency($0.strategy, in: ranking.scenario)) },
                TableColumn("wrong answers", name: "wrong_answers", .right) { .integer($0.wrongAnswers) }, .driver,
                .contract(ranking.differing(contracts)), .status,
            ]))
    }

    /// The table without columns that report no problem for any strategy; a sentence replaces each.
    static func withoutGoodNews(_ table: Table) -> Table {
        var table = table
        var news: [String] = []
        for (name, value, sentence) in [
            ("status", TableCell.Value.text("completed"), "Every trial that ran completed."),
            (
                "wrong_answers", .integer(0),
                "No answer had a value of another key, damaged bytes or an error of its own."
            ),
            ("contract", .text(""), ""),
        ] {
            let short = table.filteringColumns { column, cells in
                column.name != name || cells.isEmpty || !cells.allSatisfy { $0.value == value }
            }
            if short.columns.count < table.columns.count, !sentence.isEmpty { news.append(sentence) }
            table = short
        }
        if !news.isEmpty { table.notes.insert(news.joined(separator: " "), at: 0) }
        return table
    }

    /// Few trials can show every promise, so an unknown promise does not hide a known one.
    func consistency(_ strategy: String, in scenario: ScenarioPoint) -> String? {
        let rows = promises.filter { $0.trial.strategy == strategy && $0.trial.scenario == scenario }
        return rows.isEmpty ? nil : ConsistencyTable.verdict(rows).rawValue
    }
}
