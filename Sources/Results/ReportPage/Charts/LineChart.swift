/// Lines over two axes, each with its name at its end.
struct LineChart: Sendable {
    /// A point in the axes' units.
    struct Point: Hashable, Sendable {
        var x: Double
        var y: Double
        /// The range over the repetitions; `nil` where there is one repetition.
        var range: ClosedRange<Double>?
    }

    /// A strategy's line, in several pieces where it is interrupted.
    struct Series: Sendable {
        var strategy: String
        var pieces: [[Point]]
        /// Points marked with a cross.
        var marks: [Point] = []
        /// Whether it is a reference for the strategies: a dashed line without markers.
        var isReference = false
    }

    /// A stretch of the horizontal axis with a name, such as a phase.
    struct Stretch: Sendable {
        var from: Double
        var to: Double
        var name: String
    }

    /// The title, also the description for people who can't see the chart.
    var title: String
    var x: Axis
    var y: Axis
    var series: [Series]
    var stretches: [Stretch] = []
    /// Whether every point has a marker, because nothing was measured between points.
    var hasAllSigns = false

    /// The chart, `width` units wide; the font size is 12 units.
    func svg(width: Double, _ palette: Palette) -> String {
        let layout = LineLayout(self, width: width)
        let frame = ChartFrame(x: x, y: y, area: layout.area)
        var body = Markup.text("title", [:], title) + frame.svg
        for stretch in stretches { body += frame.stretch(stretch) }
        // Bounds first, so that they are drawn below the others.
        let order = series.map { ($0, $0.isReference ? palette.reference : palette.style($0.strategy)) }
        for (line, style) in order.filter(\.1.isMarked) + order.filter({ !$0.1.isMarked }) {
            body += group(line, layout, style)
        }
        return ChartFrame.picture(body, width: width, height: layout.height)
    }

    /// The height of the chart at a width.
    func height(width: Double) -> Double { LineLayout(self, width: width).height }

    private func group(_ line: Series, _ layout: LineLayout, _ style: SeriesStyle) -> String {
        var body = Markup.text("title", [:], line.strategy)
        for piece in line.pieces where !piece.isEmpty {
            let places = piece.map(layout.place)
            body += spread(piece, layout)
            if places.count > 1 {
                let path = PathText(PathText.thinned(places)).text
                body += Markup.shape(
                    "path",
                    style.dash.isEmpty
                        ? ["class": "mark line", "d": path]
                        : ["class": "mark line", "d": path, "stroke-dasharray": style.dash])
            }
            if !line.isReference {
                body += style.marker.svg(signs(places, style), radius: 3.2, isHollow: style.isMarked)
            }
        }
        for place in line.marks.map(layout.place) {
            body += Marker.cross.svg([place], radius: 4.5)
        }
        if let label = layout.labels[line.strategy] {
            body += label.svg(line.strategy, style, hasSign: !line.isReference)
        }
        return Markup.element("g", ["class": "s \(style.hue)", "data-s": String(style.index)], body)
    }

    /// A band from the lowest to the highest repetition; for a single point, a line.
    private func spread(_ piece: [Point], _ layout: LineLayout) -> String {
        guard piece.contains(where: { $0.range != nil }) else { return "" }
        let high = piece.map { layout.place(Point(x: $0.x, y: $0.range?.upperBound ?? $0.y)) }
        let low = piece.map { layout.place(Point(x: $0.x, y: $0.range?.lowerBound ?? $0.y)) }
        return Markup.shape(
            "path",
            ["class": piece.count > 1 ? "spread" : "whisker", "d": PathText(high + low.reversed()).text + "z"])
    }

    /// The most points of a line; with more, medians of neighbours are drawn.
    static let pointsMax = 300

    /// How many of so many neighbours are one point.
    static func neighbours(of count: Int) -> Int { max(1, (count + pointsMax - 1) / pointsMax) }

    /// The meaning of a point.
    static func meaning(ofNeighbours count: Int) -> String {
        count == 1 ? "each point is one." : "each point is the median of \(count) neighbours."
    }

    /// The positions of a line's markers: its end, and some positions that differ between strategies.
    private func signs(_ places: [(x: Double, y: Double)], _ style: SeriesStyle) -> [(x: Double, y: Double)] {
        guard places.count > 4, !hasAllSigns else { return places }
        let stride = max(2, places.count / 4)
        let first = (style.index * 3) % stride
        return places.indices.filter { $0 % stride == first }.map { places[$0] }
    }
}

/// The positions of the parts of a line chart.
private struct LineLayout {
    let chart: LineChart
    let area: ChartArea
    let height: Double
    private(set) var labels: [String: LineLabel] = [:]

    static let lineHeight = 14.0

    init(_ chart: LineChart, width: Double) {
        self.chart = chart
        let count = Double(chart.series.count)
        let longest = chart.series.map { DisplayedName.width($0.strategy) }.max() ?? 0
        let right = min(width * 0.36, longest + 30)
        let plot = max(width < 450 ? 210.0 : 250, count * Self.lineHeight)
        let top = chart.stretches.isEmpty ? 28.0 : 44
        area = ChartArea(left: 58, top: top, width: max(60, width - 58 - right), height: plot)
        height = top + plot + 44
        placeLabels()
    }

    func place(_ point: LineChart.Point) -> (x: Double, y: Double) {
        (area.left + chart.x.place(point.x) * area.width, area.top + (1 - chart.y.place(point.y)) * area.height)
    }

    private func averageHeight(_ series: LineChart.Series) -> Double {
        let heights = series.pieces.joined().map { place($0).y }
        return heights.isEmpty ? 0 : heights.reduce(0, +) / Double(heights.count)
    }

    /// Labels are beside the ends of the lines, and moved apart where they would overlap.
    private mutating func placeLabels() {
        var ends: [(name: String, x: Double, y: Double)] = chart.series.compactMap { series in
            guard let last = series.pieces.last(where: { !$0.isEmpty })?.last else { return nil }
            let end = place(last)
            return (series.strategy, end.x, end.y)
        }
        // Lines that meet at their ends are ordered by their earlier positions.
        let lowest = ends.map(\.y).max() ?? 0
        let highest = ends.map(\.y).min() ?? 0
        if lowest - highest < Double(ends.count) * Self.lineHeight / 3 {
            let averages = Dictionary(
                chart.series.map { ($0.strategy, averageHeight($0)) }, uniquingKeysWith: { first, _ in first })
            ends.sort { averages[$0.name] ?? 0 < averages[$1.name] ?? 0 }
        } else {
            ends.sort { $0.y == $1.y ? $0.name < $1.name : $0.y < $1.y }
        }
        var heights = ends.map(\.y)
        let middle = (lowest + highest) / 2
        let block = Double(ends.count - 1) * Self.lineHeight
        if let first = heights.first { heights[0] = max(area.top, min(first, middle - block / 2)) }
        for index in heights.indices.dropFirst() {
            heights[index] = max(heights[index], heights[index - 1] + Self.lineHeight)
        }
        var limit = area.top + area.height + 4
        for index in heights.indices.reversed() {
            heights[index] = min(heights[index], limit)
            limit = heights[index] - Self.lineHeight
        }
        for (end, height) in zip(ends, heights) {
            labels[end.name] = LineLabel(endX: end.x, endY: end.y, x: area.left + area.width + 20, y: height)
        }
    }
}

/// A name at the end of a line, and a thin line that leads to it.
private struct LineLabel {
    let endX: Double
    let endY: Double
    let x: Double
    let y: Double

    func svg(_ name: String, _ style: SeriesStyle, hasSign: Bool) -> String {
        // A long leading line says less than the marker beside the name.
        let isFar = abs(endY - y) > 34
        let lead =
            isFar
            ? "" : "M\(Markup.place(endX + 3)) \(Markup.place(endY))L\(Markup.place(x - 8)) \(Markup.place(y))"
        return (isFar ? "" : Markup.shape("path", ["class": "lead", "d": lead]))
            + (hasSign ? style.marker.svg([(x - 3, y)], radius: 3.2, isHollow: style.isMarked) : "")
            + Markup.text(
                "text", ["class": "name", "x": Markup.place(x + 5), "y": Markup.place(y + 4)],
                DisplayedName.short(name))
    }
}
