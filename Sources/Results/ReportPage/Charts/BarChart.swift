import Reports

/// A bar for each strategy, divided into parts that add up to a whole.
struct BarChart: Sendable {
    /// A bar.
    struct Row: Sendable {
        var strategy: String
        /// One value for each part, in the axis's unit.
        var values: [Double]
    }

    /// The title, also the description for people who can't see the chart.
    var title: String
    var axis: Axis
    /// The names of the parts, from the left; at most six.
    var parts: [String]
    var rows: [Row]
    /// A value as text.
    var text: @Sendable (Double) -> String

    private static let rowHeight = 22.0

    /// The chart, `width` units wide; the font size is 12 units.
    func svg(width: Double, _ palette: Palette) -> String {
        let names = rows.map { DisplayedName.width($0.strategy) }.max() ?? 0
        let left = min(width * 0.4, names + 14)
        let keys = legend(width: width)
        let area = ChartArea(
            left: left, top: keys.height + 8, width: max(60, width - left - 24),
            height: Double(rows.count) * Self.rowHeight)
        let flat = Axis(title: "", scale: .linear, range: 0...1, ticks: [])
        var body = Markup.text("title", [:], title) + keys.svg + ChartFrame(x: axis, y: flat, area: area).svg
        for (index, row) in rows.enumerated() {
            body += group(row, top: area.top + Double(index) * Self.rowHeight, area, palette.style(row.strategy))
        }
        return ChartFrame.picture(body, width: width, height: area.top + area.height + 44)
    }

    /// The height of the chart at a width.
    func height(width: Double) -> Double {
        legend(width: width).height + 8 + Double(rows.count) * Self.rowHeight + 44
    }

    private func group(_ row: Row, top: Double, _ area: ChartArea, _ style: SeriesStyle) -> String {
        let words = zip(parts, row.values).map { "\($0) \(text($1))" }.joined(separator: ", ")
        var body = Markup.text("title", [:], "\(row.strategy): \(words)")
        body += Markup.text(
            "text", ["class": "name end", "x": Markup.place(area.left - 8), "y": Markup.place(top + 15)],
            DisplayedName.short(row.strategy))
        var sum = 0.0
        for (part, value) in row.values.enumerated() where value > 0 {
            let from = axis.place(sum) * area.width
            sum += value
            let to = axis.place(sum) * area.width
            let (left, right, bottom) = (area.left + from, area.left + max(from, to), top + Self.rowHeight - 3)
            let corners = [(left, top + 3), (right, top + 3), (right, bottom), (left, bottom)]
            body += Markup.shape("path", ["class": "part p\(part)", "d": PathText(corners).text + "z"])
        }
        return Markup.element("g", ["class": "s \(style.hue)", "data-s": String(style.index)], body)
    }

    /// The parts with their colours, on as many lines as needed.
    private func legend(width: Double) -> (svg: String, height: Double) {
        var body = ""
        var (x, y) = (2.0, 4.0)
        for (index, name) in parts.enumerated() {
            let length = DisplayedName.width(name) + 24
            if x > 2, x + length > width { (x, y) = (2, y + 18) }
            body += Markup.shape(
                "rect",
                [
                    "class": "part p\(index)", "x": Markup.place(x), "y": Markup.place(y), "width": "11",
                    "height": "11",
                ])
            body += Markup.text("text", ["x": Markup.place(x + 16), "y": Markup.place(y + 10)], name)
            x += length
        }
        return (body, y + 18)
    }
}
