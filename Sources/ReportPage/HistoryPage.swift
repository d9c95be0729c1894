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
        let tables = HistoryTable.tables(report, marks: marks)
        let findings = verdict.gates.filter { !$0.passed }.map {
            Finding(level: .bad, text: "\($0.name): \($0.reason)")
        }
        let header = PageHeader(
            title: Self.title, headline: report.summary + ".", subtitle: path, findings: findings,
            parts: tables.enumerated().map { ("machine-\($0.offset)", $0.element.title ?? "") })
        let pages = PageTable(palette: palette, meanings: ColumnMeanings())
        var body = header.html + pages.legend
        for (index, table) in tables.enumerated() { body += section(table, index, pages) }
        return PageDocument.html(title: Self.title, body: body)
    }

    private static let title = "Cache trials: history"

    private func section(_ table: Table, _ index: Int, _ pages: PageTable) -> String {
        let own = report.series.filter { HistoryTable.title($0.key) == table.title }
        let drawn = own.filter { !$0.changes.isEmpty } + own.filter(\.changes.isEmpty)
        let figures = drawn.prefix(Self.chartsMax).map { series in
            let history = HistoryChart(series)
            return Figure.html(history.chart, caption: history.caption, palette)
        }
        let left = drawn.count - figures.count
        let names = table.rows.map { row in
            if case .text(let name) = row[2].value { name } else { "" }
        }
        let content =
            table.rows.isEmpty ? "<p>No figure changed.</p>\n" : pages.html(table, strategies: names)
        let note =
            left > 0 ? "\(PageHeader.many(left, "series", "series")) without room for a picture are not drawn." : ""
        return Markup.element(
            "section", [:],
            Markup.text("h2", ["id": "machine-\(index)"], table.title ?? "") + content
                + Markup.element("div", ["class": "figures"], figures.joined())
                + (note.isEmpty ? "" : Markup.text("p", ["class": "note"], note))) + "\n"
    }
}
