import Reports
import TrialModel

/// A swept scenario's part of the page: its findings, its curves, and its tables.
struct SweepSection {
    let sweep: Sweep
    let palette: Palette
    /// Whether phases ran at full size, so that sentences mean something.
    let isMeasured: Bool
    let index: Int

    var html: String {
        let charts = SweepCharts(sweep: sweep)
        var body = Markup.text("h2", ["id": "sweep-\(index)"], sweep.scenario)
        if isMeasured {
            body += SweepSentences.lines(sweep).map { Markup.element("p", [:], Markup.sentence($0)) }.joined()
        }
        let figures = charts.figures.flatMap { figure in
            sweep.groups.compactMap { group in
                charts.chart(figure, group).map {
                    Figure.html($0, caption: charts.caption(figure, group), palette)
                }
            }
        }
        body += Markup.element("div", ["class": "figures"], figures.joined())
        for table in SweepTable.tables(sweep) {
            body += Markup.text("h3", [:], table.title ?? "")
            body += Markup.element("p", ["class": "caption"], Markup.sentence(table.caption ?? ""))
            body += PageTable(palette: palette, meanings: ColumnMeanings())
                .html(table, strategies: table.rows.compactMap(\.first?.text))
        }
        return Markup.element("section", [:], body) + "\n"
    }
}
