package import Reports
package import TrialModel

/// The output of `history show`.
package enum HistoryTable {
    /// A table for each kind of machine and build, whose runs form one series.
    ///
    /// - Parameter marks: the role of each strategy that does not count, by name.
    package static func tables(_ report: HistoryReport, marks: [String: String]) -> [Table] {
        var order: [String] = []
        let changes = report.changes
        for series in report.series where !order.contains(title(series.key)) { order.append(title(series.key)) }
        return order.map { name in
            table(name, changes.filter { title($0.series) == name }, report, marks)
        }
    }

    /// The kind of machine and the build.
    package static func title(_ key: HistoryRow.Series) -> String { "\(key.machineKind), \(key.build)" }

    private static func table(
        _ name: String, _ changes: [HistoryChange], _ report: HistoryReport, _ marks: [String: String]
    ) -> Table {
        let series = report.series.filter { title($0.key) == name }
        let same = series.count { $0.changes.isEmpty }
        let short = series.count { $0.rows.count < 2 * ChangePoints.sideMin }
        var notes = ["\(series.count) series, \(same) of them without a change"]
        if short > 0 {
            notes.append("\(short) have fewer than \(2 * ChangePoints.sideMin) commits, too few to see a change")
        }
        return Table(
            title: name,
            columns: [
                TableColumn("verdict"), TableColumn("scenario"), TableColumn("strategy"), TableColumn("phase"),
                TableColumn("metric"), TableColumn("before", .right), TableColumn("after", .right),
                TableColumn("change", .right), TableColumn("last before", name: "commit_before"),
                TableColumn("first after", name: "commit_after"), TableColumn("time", isSpare: true),
                TableColumn("recent", isSpare: true), TableColumn("acknowledged", isSpare: true),
                TableColumn("p", name: "probability", .right, isSpare: true),
            ],
            rows: changes.map { cells($0, marks) }, notes: notes)
    }

    private static func cells(_ change: HistoryChange, _ marks: [String: String]) -> [TableCell] {
        let row = change.row
        func figure(_ value: Double?) -> TableCell {
            TableCell(ComparisonText.figure(value, row), value: value.map { .number($0, places: 6) } ?? .none)
        }
        func commit(_ name: String) -> TableCell { TableCell(String(name.prefix(12)), value: .text(name)) }
        return [
            .text(row.verdict.rawValue), .text("\(row.scenario)"),
            TableCell(
                marks[row.strategy].map { "\(row.strategy) (\($0))" } ?? row.strategy, value: .text(row.strategy)),
            .text(row.phase), .text(row.metric), figure(row.baseline), figure(row.candidate),
            TableCell(
                ComparisonText.change(row),
                value: (row.ratio ?? row.difference).map { .number($0, places: 6) } ?? .none),
            commit(change.before), commit(change.after), .text(change.time),
            .text(change.isRecent ? "yes" : "no"), .text(change.acknowledged),
            TableCell(probability(change.probability), value: .number(change.probability, places: 6)),
        ]
    }

    private static func probability(_ value: Double) -> String {
        value < 0.0001 ? "<0.0001" : DecimalText.fixed(value, places: 4)
    }
}
