package import Reports
package import TrialModel

/// The output of `history show`.
package enum HistoryTable {
    /// A table for each kind of machine and build, whose runs form one series.
    ///
    /// - Parameter marks: the role of each strategy that does not count, by name.
    package static func tables(_ report: HistoryReport, marks: [String: String]) -> [Table] {
        let changes = report.changes
        return report.series.grouped { title($0.key) }.map { name, series in
            table(name, changes.filter { title($0.series) == name }, series, marks)
        }
    }

    /// The kind of machine and the build.
    package static func title(_ key: HistoryRow.Series) -> String { "\(key.machineKind), \(key.build)" }

    private static func table(
        _ name: String, _ changes: [HistoryChange], _ series: [HistorySeries], _ marks: [String: String]
    ) -> Table {
        let same = series.count { $0.changes.isEmpty }
        let short = series.count { $0.rows.count < 2 * ChangePoints.sideMin }
        var notes = ["\(series.count) series, \(same) of them without a change"]
        if short > 0 {
            notes.append("\(short) have fewer than \(2 * ChangePoints.sideMin) commits, too few to see a change")
        }
        return Table(
            title: name, of: changes,
            [
                TableColumn("verdict") { .text($0.row.verdict.rawValue) },
                TableColumn("scenario") { .text("\($0.row.scenario)") },
                TableColumn("strategy") { change in
                    let name = change.row.strategy
                    return TableCell(ComparisonText.marked(name, marks), value: .text(name))
                },
                TableColumn("phase") { .text($0.row.phase) }, TableColumn("metric") { .text($0.row.metric) },
                TableColumn("before", .right) { ComparisonText.cell($0.row.baseline, $0.row) },
                TableColumn("after", .right) { ComparisonText.cell($0.row.candidate, $0.row) },
                TableColumn("change", .right) { change in
                    .number(change.row.ratio ?? change.row.difference, places: 6) { _ in
                        ComparisonText.change(change.row)
                    }
                },
                TableColumn("last before", name: "commit_before") { commit($0.before) },
                TableColumn("first after", name: "commit_after") { commit($0.after) },
                TableColumn("time", isSpare: true) { .text($0.time) },
                TableColumn("recent", isSpare: true) { .word($0.isRecent) },
                TableColumn("acknowledged", isSpare: true) { .text($0.acknowledged) },
                TableColumn("p", name: "probability", .right, isSpare: true) {
                    .number($0.probability, places: 6, probability)
                },
            ], notes: notes)
    }

    private static func commit(_ name: String) -> TableCell { TableCell(String(name.prefix(12)), value: .text(name)) }

    private static func probability(_ value: Double) -> String {
        value < 0.0001 ? "<0.0001" : DecimalText.fixed(value, places: 4)
    }
}
