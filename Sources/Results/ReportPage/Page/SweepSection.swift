import Reports
import TrialModel

/// A swept scenario's part of the page: its curves, and its tables.
struct SweepSection {
    let sweep: Sweep
    let palette: Palette
    let index: Int

    var section: Section {
        let charts = SweepCharts(sweep: sweep)
        let figures = charts.figures.flatMap { figure in
            sweep.groups.compactMap { group in
                charts.chart(figure, group).map {
                    Figure.html($0, caption: charts.caption(figure, group), palette)
                }
            }
        }
        return Section(
            anchor: "sweep-\(index)", name: sweep.scenario,
            content: Markup.figures(figures)
                + SweepTable.tables(sweep).map { PageTable(palette: palette).titled($0) }.joined())
    }
}
