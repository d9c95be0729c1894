import Reports
import TrialModel

/// A chart that a picture can hold.
protocol PicturedChart: Chart {
    func height(width: Double) -> Double
}

extension LineChart: PicturedChart {}
extension BarChart: PicturedChart {}

/// The stand-alone picture of a result, light and dark: hit ratio over time beside latency by percentile, or the main
/// thread over the scroll beside what rows showed.
extension ReportPage {
    /// An SVG of two charts of the first scenario that has some, or of the first sweep, or the miss-ratio curves of the
    /// first trace; `nil` where the results have none of them.
    package var picture: String? {
        let charts = rankings.lazy.compactMap { ranking -> (String, [any PicturedChart])? in
            let frames = FrameCharts(ranking: ranking, palette: palette).leading
            if !frames.isEmpty { return (ranking.scenario.description, frames) }
            let charts = ScenarioCharts(ranking: ranking, content: content)
            let found = [charts.timeline, ranking.times.flatMap { charts.latency(in: $0.phase) }].compactMap(\.self)
            return found.isEmpty ? nil : (ranking.scenario.description, found)
        }.first
        if let (name, charts) = charts { return Self.svg(name, charts, palette) }
        for sweep in sweeps {
            let charts = SweepCharts(sweep: sweep).leading
            if !charts.isEmpty { return Self.svg(sweep.scenario, charts, palette) }
        }
        guard let curves = MissRatioCurves.all(content.replay).first, !curves.charts.isEmpty else { return nil }
        return Self.svg(curves.trace, curves.charts, palette)
    }

    static func svg(_ name: String, _ charts: [any PicturedChart], _ palette: Palette) -> String {
        let width = 560.0
        var body = ""
        var bottom = 0.0
        for (index, chart) in charts.enumerated() {
            let place = ["x": Double(index) * (width + 24) + 16, "y": 40.0]
            let picture = chart.svg(width: width, palette)
            let height = chart.height(width: width)
            bottom = max(bottom, 40 + height)
            let heading = Markup.text(
                "text", ["class": "heading", "x": Markup.number((place["x"] ?? 0) + 2), "y": "26"],
                name.isEmpty ? chart.title : "\(chart.title) (\(name))")
            body += heading
            body += Markup.element(
                "svg",
                [
                    "x": Markup.number(place["x"] ?? 0), "y": "40", "width": Markup.number(width),
                    "height": Markup.number(height),
                ], picture)
        }
        let size = "\(Markup.number(Double(charts.count) * (width + 24) + 8)) \(Markup.number(bottom + 8))"
        let style =
            ChartStyle.light + "@media (prefers-color-scheme:dark){\(ChartStyle.dark)}" + ChartStyle.sheet
            + ".ground{fill:var(--paper)}.heading{fill:var(--ink);"
            + "font:600 15px system-ui,'DejaVu Sans',sans-serif}"
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(size)\"><style>\(style)</style>"
            + "<rect class=\"ground\" width=\"100%\" height=\"100%\" rx=\"8\"/>\(body)</svg>\n"
    }
}
