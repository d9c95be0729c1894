/// A chart with its caption, in two widths: for a phone and for a page.
enum Figure {
    static let narrow = 360.0
    static let wide = 600.0

    /// - Parameters:
    ///   - title: the subject, in a few words.
    ///   - caption: how to read it; backticks mark code.
    ///   - draw: draws the chart at a width.
    static func html(_ title: String, caption: String, draw: (Double) -> String) -> String {
        let text = Markup.element("figcaption", [:], Markup.text("b", [:], title) + " " + Markup.sentence(caption))
        return Markup.element("figure", [:], text + draw(wide) + draw(narrow)) + "\n"
    }

    static func html(_ chart: LineChart, caption: String, _ palette: Palette) -> String {
        html(chart.title, caption: caption) { chart.svg(width: $0, palette) }
    }

    static func html(_ chart: BarChart, caption: String, _ palette: Palette) -> String {
        html(chart.title, caption: caption) { chart.svg(width: $0, palette) }
    }

    static func html(_ chart: RangeChart, caption: String, _ palette: Palette) -> String {
        html(chart.title, caption: caption) { chart.svg(width: $0, palette) }
    }
}
