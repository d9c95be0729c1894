import Reports
import TrialModel

/// A scenario's part of the page: its table and its charts.
struct ScenarioSection {
    let ranking: ScenarioRanking
    let content: ReportContent
    let palette: Palette
    /// The scenario's table; `nil` where it is already on top of the page.
    let table: Table?
    /// Who is best; `nil` where nothing was measured.
    let sentence: String?
    let index: Int

    var section: Section {
        let charts = ScenarioCharts(ranking: ranking, content: content)
        let tables = PageTable(palette: palette)
        let main = ranking.times?.phase
        var body = ranking.question.text.map { Markup.text("p", ["class": "question"], $0) } ?? ""
        if let table {
            body += sentence.map { Markup.text("p", [:], $0) } ?? ""
            body += Markup.caption(table.caption) + tables.html(table)
        }
        var figures: [(chart: (any Chart)?, caption: String)] = [
            (charts.deciding, "What decides."), (main.flatMap { charts.latency(in: $0) }, Self.latencyCaption),
            (charts.timeline, "From `timeline.csv`, warm-ups included; medians of the repetitions."),
        ]
        figures += charts.phases.filter { $0 == main || charts.phases.count <= 3 }.map { phase in
            (charts.hitRatios(of: .all, in: phase), "")
        }
        figures += ranges(charts).map { ($0, "") }
        body += Markup.caption(Self.rangeCaption)
        body += Markup.figures(
            figures.compactMap { figure in
                figure.chart.map { Figure.html($0, caption: figure.caption, palette) }
            })
        body += FrameCharts(ranking: ranking, palette: palette).html
        body += ranking.pressureTable.map { tables.titled($0, as: "Memory pressure") } ?? ""
        body += ranking.invalidationTable.map { tables.titled($0, as: "Invalidation") } ?? ""
        body += ranking.prefetchTable.map { tables.titled($0, as: "Prefetch") } ?? ""
        body += PartCharts(ranking: ranking, palette: palette).html
        body += ranking.poolTable.map { tables.titled($0, as: "By key pool") + pools(charts) } ?? ""
        body += otherPhases(charts, main)
        return Section(anchor: "scenario-\(index)", name: ranking.scenario.description, content: body)
    }

    private static let latencyCaption =
        "All repetitions together. Rarer operations are further right; a line that stays low there has a short tail."
    private static let rangeCaption =
        "Markers show the medians, bars span all repetitions. Baselines are grey and hollow."

    private func ranges(_ charts: ScenarioCharts) -> [RangeChart?] {
        let phase = ranking.times.map { ", \($0.phase)" } ?? ""
        return [
            charts.range(
                "Throughput\(phase)", "operations a second", scale: .logarithmic,
                tick: TickText.count, text: Quantity.rate
            ) { $0.operationsPerSecond },
            charts.range(
                "p99\(phase)", "time", scale: .logarithmic, tick: TickText.duration, text: TickText.duration
            ) { $0.p99.map { Double($0) } },
            charts.range(
                "Memory of an entry beyond its value", "bytes an entry", scale: .linear, isBinary: true,
                tick: TickText.bytes, text: TickText.bytes
            ) { $0.bytesPerEntry },
            charts.range(
                "Peak of resident memory", "bytes of the whole process", scale: .linear, isBinary: true,
                tick: TickText.bytes, text: TickText.bytes
            ) { $0.residentBytesPeak.map { Double($0) } },
        ]
    }

    private func pools(_ charts: ScenarioCharts) -> String {
        let pools = ranking.results.flatMap(\.poolHitRates).map(\.pool).distinct
        let found = charts.phases.flatMap { phase in pools.compactMap { charts.hitRatios(of: $0, in: phase) } }
        return Markup.figures(found.map { Figure.html($0, palette) })
    }

    /// Latencies of the phases that don't supply the table's times, collapsed.
    private func otherPhases(_ charts: ScenarioCharts, _ main: String?) -> String {
        let figures = charts.phases.filter { $0 != main }.compactMap { charts.latency(in: $0) }
            .map { Figure.html($0, caption: Self.latencyCaption, palette) }
        guard !figures.isEmpty else { return "" }
        return Markup.details(
            "Latency in \(figures.count == 1 ? "the other phase" : "\(figures.count) other phases")",
            Markup.figures(figures))
    }
}
