/// A picture of figures that is drawn at any width.
protocol Chart {
    /// The title, also the description for people who can't see the chart.
    var title: String { get }
    /// The chart, `width` units wide; the font size is 12 units.
    func svg(width: Double, _ palette: Palette) -> String
}

extension LineChart: Chart {}
extension BarChart: Chart {}
extension RangeChart: Chart {}

/// A chart with its caption, in two widths: for a phone and for a page.
enum Figure {
    static let narrow = 360.0
    static let wide = 600.0

    /// - Parameter caption: how to read it; backticks mark code.
    static func html(_ chart: any Chart, caption: String = "", _ palette: Palette) -> String {
        let text = Markup.text("b", [:], chart.title) + " " + Markup.sentence(caption)
        let drawings = [wide, narrow].map { chart.svg(width: $0, palette) }
        return Markup.element("figure", [:], Markup.element("figcaption", [:], text) + drawings.joined()) + "\n"
    }
}
