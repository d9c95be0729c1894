import Reports
import TrialModel

/// The rectangle of a chart's plot area.
struct ChartArea: Hashable, Sendable {
    var left: Double
    var top: Double
    var width: Double
    var height: Double
}

/// Names of strategies in charts.
enum DisplayedName {
    /// At most twenty columns wide; tables have the name in full.
    static func short(_ name: String) -> String { DisplayWidth.cut(DisplayWidth.harmless(name), to: 20) }

    /// The approximate width of the short name, in units of a chart.
    static func width(_ name: String) -> Double { Double(DisplayWidth.of(short(name))) * 7.3 }
}

/// Axes with their lines, ticks and titles.
struct ChartFrame: Sendable {
    var x: Axis
    var y: Axis
    var area: ChartArea

    private var bottom: Double { area.top + area.height }

    /// The SVG of the whole frame.
    var svg: String {
        var (body, grid) = ("", "")
        for tick in y.ticks {
            let height = area.top + (1 - y.place(tick.value)) * area.height
            grid += "M\(Markup.place(area.left)) \(Markup.place(height))h\(Markup.place(area.width))"
            body += text("tick end", area.left - 6, height + 4, tick.text)
        }
        var free = -Double.infinity
        for tick in x.ticks {
            let place = area.left + x.place(tick.value) * area.width
            grid += "M\(Markup.place(place)) \(Markup.place(area.top))v\(Markup.place(area.height))"
            // A text that would touch the previous one is left out.
            let half = Double(DisplayWidth.of(tick.text)) * 3.7
            guard place - half > free else { continue }
            body += text("tick mid", place, bottom + 16, tick.text)
            free = place + half + 6
        }
        body = (grid.isEmpty ? "" : Markup.shape("path", ["class": "grid", "d": grid])) + body
        body += line("axis", area.left, bottom, area.left + area.width, bottom)
        body += text("title", 2, 13, y.title)
        body += text("title mid", area.left + area.width / 2, bottom + 36, x.title)
        return body
    }

    /// A line at the end of a stretch, and the stretch's name on top.
    func stretch(_ stretch: LineChart.Stretch) -> String {
        let from = area.left + x.place(stretch.from) * area.width
        let to = area.left + x.place(stretch.to) * area.width
        let columns = max(2, Int((to - from) / 6.6))
        return line("edge", to, area.top - 12, to, bottom)
            + text(
                "tick mid", (from + to) / 2, area.top - 8,
                DisplayWidth.cut(DisplayWidth.harmless(stretch.name), to: columns))
    }

    /// The root element of a chart.
    static func picture(_ body: String, width: Double, height: Double) -> String {
        Markup.element(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg", "class": "chart",
                "viewBox": "0 0 \(Markup.place(width)) \(Markup.place(height))", "role": "img",
            ], body)
    }

    private func line(_ kind: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
        Markup.shape(
            "line",
            [
                "class": kind, "x1": Markup.place(x1), "y1": Markup.place(y1), "x2": Markup.place(x2),
                "y2": Markup.place(y2),
            ])
    }

    private func text(_ kind: String, _ x: Double, _ y: Double, _ content: String) -> String {
        guard !content.isEmpty else { return "" }
        return Markup.text("text", ["class": kind, "x": Markup.place(x), "y": Markup.place(y)], content)
    }
}
