import Reports
import TrialModel

/// A scenario's part of the page: its table and its charts.
struct ScenarioSection {
    let ranking: ScenarioRanking
    let content: ReportContent
    let palette: Palette
    /// The scenario's table; `nil` where it is already on top of the page.
    let table: String?
    /// Who is best; `nil` where nothing was measured.
    let sentence: String?
    let index: Int

    var html: String {
        let charts = ScenarioCharts(ranking: ranking, content: content)
        let main = ranking.times?.phase
        var body = Markup.text("h2", ["id": "scenario-\(index)"], ranking.scenario.description)
        if let question = ranking.question { body += Markup.text("p", ["class": "question"], question) }
        if let table {
            body += sentence.map { Markup.text("p", [:], $0) } ?? ""
            body += Markup.element("p", ["class": "caption"], Markup.sentence(ranking.caption)) + table
        }
        var figures = charts.deciding.map { Figure.html($0, caption: "What decides.", palette) } ?? ""
        if let main, let chart = charts.latency(in: main) {
            figures += Figure.html(chart, caption: Self.latencyCaption, palette)
        }
        if let chart = charts.timeline {
            figures += Figure.html(
                chart, caption: "From `timeline.csv`, warm-ups included; medians of the repetitions.", palette)
        }
        for phase in charts.phases where phase == main || charts.phases.count <= 3 {
            if let chart = charts.hitRatios(of: .all, in: phase) {
                figures += Figure.html(chart, caption: "", palette)
            }
        }
        figures += ranges(charts)
        body += Markup.element("p", ["class": "caption"], Self.rangeCaption)
        body += Markup.element("div", ["class": "figures"], figures)
        body += FrameCharts(ranking: ranking, palette: palette).html
        body += pressure + prefetch + PartCharts(ranking: ranking, palette: palette).html
        body += pools(charts) + otherPhases(charts, main)
        return Markup.element("section", [:], body) + "\n"
    }

    private static let latencyCaption =
        "All repetitions together. Rarer operations are further right; a line that stays low there has a short tail."
    private static let rangeCaption =
        "Markers show the medians, bars span all repetitions. Bounds are grey and hollow."

    private func ranges(_ charts: ScenarioCharts) -> String {
        let phase = ranking.times.map { ", \($0.phase)" } ?? ""
        let all = [
            charts.range(
                "Throughput\(phase)", "operations a second", scale: .logarithmic,
                tick: TickText.count, text: Quantity.rate
            ) { $0.operationsPerSecond },
            charts.range(
                "p99\(phase)", "time", scale: .logarithmic, tick: TickText.duration, text: TickText.duration
            ) { $0.p99.map { Double($0) } },
            charts.range(
                "Memory of an entry beyond its value", "bytes an entry", scale: .linear, isBinary: true,
                tick: TickText.bytes,
                text: TickText.bytes
            ) { $0.bytesPerEntry },
            charts.range(
                "Peak of resident memory", "bytes of the whole process", scale: .linear, isBinary: true,
                tick: TickText.bytes,
                text: TickText.bytes
            ) { $0.residentBytesPeak.map { Double($0) } },
        ]
        return all.compactMap(\.self).map { Figure.html($0, caption: "", palette) }.joined()
    }

    private var pressure: String {
        let table = PressureTable(ranking)
        return table.table.map { part("Memory pressure", $0, table.strategies) } ?? ""
    }

    private var prefetch: String {
        let table = PrefetchTable(ranking)
        return table.table.map { part("Prefetch", $0, table.strategies) } ?? ""
    }

    private func part(_ title: String, _ grid: Table, _ strategies: [String]) -> String {
        Markup.text("h3", [:], title) + Markup.element("p", ["class": "caption"], Markup.sentence(grid.caption ?? ""))
            + PageTable(palette: palette, meanings: ColumnMeanings()).html(grid, strategies: strategies)
    }

    private func pools(_ charts: ScenarioCharts) -> String {
        guard let table = ranking.poolTable else { return "" }
        var figures = ""
        for phase in charts.phases {
            for pool in charts.pools {
                guard let chart = charts.hitRatios(of: pool, in: phase) else { continue }
                figures += Figure.html(chart, caption: "", palette)
            }
        }
        let strategies = table.rows.map { $0.count > 1 ? $0[1].text : "" }
        let grid = PageTable(palette: palette, meanings: ColumnMeanings()).html(table, strategies: strategies)
        return Markup.element("h3", [:], "By key pool") + grid + Markup.element("div", ["class": "figures"], figures)
    }

    /// Latencies of the phases that don't supply the table's times, collapsed.
    private func otherPhases(_ charts: ScenarioCharts, _ main: String?) -> String {
        let figures = charts.phases.filter { $0 != main }.compactMap { charts.latency(in: $0) }
            .map { Figure.html($0, caption: Self.latencyCaption, palette) }
        guard !figures.isEmpty else { return "" }
        let summary = Markup.text(
            "summary", [:], "Latency in \(figures.count == 1 ? "the other phase" : "\(figures.count) other phases")")
        return Markup.element(
            "details", [:], summary + Markup.element("div", ["class": "figures"], figures.joined()))
    }
}
