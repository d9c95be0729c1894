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

/// A chart with its caption.
enum Figure {
    /// Between the width of a phone and that of a column of the page: both scale it by a third at most. Two drawings would
    /// double the bytes of a page.
    static let width = 440.0

    /// - Parameter caption: how to read it; backticks mark code.
    static func html(_ chart: any Chart, caption: String = "", _ palette: Palette) -> String {
        let text = Markup.text("b", [:], chart.title) + " " + Markup.sentence(caption)
        let drawing = chart.svg(width: width, palette)
        return Markup.element("figure", [:], Markup.element("figcaption", [:], text) + drawing) + "\n"
    }
}
