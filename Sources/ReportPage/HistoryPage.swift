package import Comparison
import Reports
package import TrialModel

/// A history as one self-contained HTML page, without a server and without external resources.
///
/// The result comes first. Then a table shows the changes for each kind of machine and build, the worst first, and each
/// series has a chart, series with changes first. Costs time in proportion to the figures.
package struct HistoryPage: Sendable {
    private let report: HistoryReport
    private let path: String
    private let verdict: RunVerdict
    private let marks: [String: String]
    private let palette: Palette

    /// The most charts for one kind of machine and build: more than a hundred are too many to look at.
    static let chartsMax = 100

    /// - Parameters:
    ///   - path: the file, as given.
    ///   - verdict: whether the gates passed.
    ///   - marks: strategies that are not candidates, such as bounds, with their kind.
    package init(_ report: HistoryReport, path: String, verdict: RunVerdict, marks: [String: String] = [:]) {
        self.report = report
        self.path = path
        self.verdict = verdict
        self.marks = marks
        palette = Palette(report.series.map(\.key.strategy), marks: marks)
    }

    /// The whole page.
    package var html: String {
        let sections = HistoryTable.tables(report, marks: marks).enumerated().map { section($1, $0) }
        let findings = verdict.gates.filter { !$0.passed }.map {
            Finding(level: .bad, text: "\($0.name): \($0.reason)")
        }
        let header = PageHeader(
            title: Self.title, headline: report.summary + ".", subtitle: path, findings: findings, sections: sections)
        return PageDocument.html(
            title: Self.title,
            body: header.html + PageTable(palette: palette).legend + sections.map(\.html).joined())
    }

    private static let title = "Cache trials: history"

    private func section(_ table: Table, _ index: Int) -> Section {
        let own = report.series.filter { HistoryTable.title($0.key) == table.title }
        let drawn = own.filter { !$0.changes.isEmpty } + own.filter(\.changes.isEmpty)
        let figures = drawn.prefix(Self.chartsMax).map { series in
            let history = HistoryChart(series)
            return Figure.html(history.chart, caption: history.caption, palette)
        }
        let left = drawn.count - figures.count
        let note =
            left > 0 ? "\(Quantity.many(left, "series", "series")) without room for a picture are not drawn." : ""
        return Section(
            anchor: "machine-\(index)", name: table.title ?? "",
            content: (table.rows.isEmpty ? "<p>No figure changed.</p>\n" : PageTable(palette: palette).html(table))
                + Markup.figures(figures) + (note.isEmpty ? "" : Markup.text("p", ["class": "note"], note)))
    }
}
