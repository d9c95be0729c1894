import Reports

/// A row for each strategy: a marker at the median, a line from the lowest to the highest figure, and the figure as
/// text.
struct RangeChart: Sendable {
    /// A row.
    struct Row: Sendable {
        var strategy: String
        var spread: Spread
        /// The text at the right.
        var text: String
        /// The name at the left; `nil` for the strategy's own name.
        var name: String?
        /// The range of figures that count as no difference, shaded behind the row; `nil` for no shade.
        var band: ClosedRange<Double>?
        /// Whether the figure is inconclusive: a hollow marker and a dashed line. With `nil` the strategy's style
        /// decides.
        var isUndecided: Bool?
    }

    /// The title, also the description for people who can't see the chart.
    var title: String
    var axis: Axis
    var rows: [Row]
    /// A figure that all rows are compared with, such as the optimum or 1, and its name.
    var reference: (value: Double, name: String)?

    /// The chart, `width` units wide; the font size is 12 units.
    func svg(width: Double, _ palette: Palette) -> String {
        let names = rows.map { DisplayedName.width($0.name ?? $0.strategy) }.max() ?? 0
        let texts = rows.map { DisplayedName.width($0.text) }.max() ?? 0
        let left = min(width * 0.4, names + 14)
        let right = texts + 14
        let top = reference == nil ? 10.0 : 26
        let area = ChartArea(
            left: left, top: top, width: max(60, width - left - right), height: Double(rows.count) * Self.rowHeight)
        let flat = Axis(title: "", scale: .linear, range: 0...1, ticks: [])
        var body = Markup.text("title", [:], title) + bands(area) + ChartFrame(x: axis, y: flat, area: area).svg
        if let reference { body += mark(reference, area) }
        for (index, row) in rows.enumerated() {
            body += group(row, y: top + (Double(index) + 0.5) * Self.rowHeight, area, palette.style(row.strategy))
        }
        return ChartFrame.picture(body, width: width, height: top + area.height + 44)
    }

    private static let rowHeight = 20.0

    /// The shades of all rows; neighbouring rows with the same band share one.
    private func bands(_ area: ChartArea) -> String {
        var body = ""
        var first = 0
        while first < rows.count {
            let band = rows[first].band
            var end = first + 1
            while end < rows.count, rows[end].band == band { end += 1 }
            if let band { body += shade(band, first..<end, area) }
            first = end
        }
        return body
    }

    private func shade(_ band: ClosedRange<Double>, _ rows: Range<Int>, _ area: ChartArea) -> String {
        let left = axis.place(band.lowerBound) * area.width
        let right = axis.place(band.upperBound) * area.width
        return Markup.shape(
            "rect",
            [
                "class": "band", "x": Markup.place(area.left + left),
                "y": Markup.place(area.top + Double(rows.lowerBound) * Self.rowHeight),
                "width": Markup.place(right - left), "height": Markup.place(Double(rows.count) * Self.rowHeight),
            ])
    }

    private func group(_ row: Row, y: Double, _ area: ChartArea, _ style: SeriesStyle) -> String {
        func place(_ value: Double) -> Double { area.left + axis.place(value) * area.width }
        let height = Markup.place(y)
        var body = Markup.text("title", [:], "\(row.name ?? row.strategy): \(row.text)")
        body += Markup.text(
            "text", ["class": "name end", "x": Markup.place(area.left - 8), "y": Markup.place(y + 4)],
            DisplayedName.short(row.name ?? row.strategy))
        if row.spread.high > row.spread.low {
            body += Markup.shape(
                "path",
                [
                    "class": row.isUndecided == true ? "mark range open" : "mark range",
                    "d": "M\(Markup.place(place(row.spread.low))) \(height)H\(Markup.place(place(row.spread.high)))",
                ])
        }
        let isHollow = row.isUndecided ?? style.isMarked
        body += style.marker.svg([(place(row.spread.median), y)], radius: 4.2, isHollow: isHollow)
        body += Markup.text(
            "text",
            ["class": "value", "x": Markup.place(area.left + area.width + 10), "y": Markup.place(y + 4)], row.text)
        return Markup.element(
            "g", ["class": "s \(style.hue)", "data-s": String(style.index)], body)
    }

    private func mark(_ reference: (value: Double, name: String), _ area: ChartArea) -> String {
        let place = area.left + axis.place(reference.value) * area.width
        let x = Markup.place(place)
        // Near the right edge the name would extend beyond the chart.
        let side = place > area.left + area.width * 0.6 ? "end" : ""
        return Markup.shape(
            "line",
            ["class": "reference", "x1": x, "y1": "18", "x2": x, "y2": Markup.place(area.top + area.height)])
            + Markup.text("text", ["class": "tick \(side)", "x": x, "y": "12"], reference.name)
    }
}
