import Reports

/// Ratios of a comparison with their intervals: a picture for each metric.
struct ComparisonCharts {
    private let lines: [ComparisonLine]
    private let palette: Palette

    init(_ lines: [ComparisonLine], _ palette: Palette) {
        self.lines = lines
        self.palette = palette
    }

    var html: String {
        var metrics: [String] = []
        for line in lines where !metrics.contains(line.metric) { metrics.append(line.metric) }
        return metrics.compactMap { metric in chart(metric, lines.filter { $0.metric == metric }) }
            .map { Figure.html($0, caption: "Left of 1 the candidate has less, right of it more.", palette) }.joined()
    }

    private func chart(_ metric: String, _ lines: [ComparisonLine]) -> RangeChart? {
        let rows = lines.compactMap { line -> RangeChart.Row? in
            guard let ratio = line.ratio, ratio > 0 else { return nil }
            let spread = Spread(low: line.ratioLow ?? ratio, median: ratio, high: line.ratioHigh ?? ratio)
            let phase = line.phase.isEmpty ? "" : ", \(line.phase)"
            return RangeChart.Row(
                strategy: line.strategy, spread: spread, text: "\(Self.factor(ratio)) \(line.verdict)",
                name: line.strategy + phase)
        }
        guard !rows.isEmpty else { return nil }
        let values = rows.flatMap { [$0.spread.low, $0.spread.high] }.filter { $0 > 0 } + [0.95, 1.05]
        // A narrow range needs a plain axis: powers of ten would hide it.
        let isNarrow = (values.max() ?? 1) < 3 * (values.min() ?? 1)
        let axis =
            isNarrow
            ? Axis.linear("candidate / baseline", values, fromZero: false, text: TickText.factor)
            : Axis.logarithmic("candidate / baseline, log", values, text: TickText.factor)
        return RangeChart(title: metric, axis: axis, rows: rows, reference: (1, "the same"))
    }

    private static func factor(_ value: Double) -> String { DecimalText.fixed(value, places: 3) + "×" }

    /// The lines as they are.
    static func table(_ lines: [ComparisonLine]) -> Table {
        Table(
            columns: [
                TableColumn("strategy"), TableColumn("phase"), TableColumn("metric"), TableColumn("verdict"),
                TableColumn("ratio", .right), TableColumn("interval", .right), TableColumn("baseline", .right),
                TableColumn("candidate", .right),
            ],
            rows: lines.map { line in
                [
                    .text(line.strategy), .text(line.phase), .text(line.metric), .text(line.verdict),
                    line.ratio.map { TableCell(factor($0), value: .number($0, places: 6)) } ?? .empty,
                    .text([line.ratioLow, line.ratioHigh].compactMap { $0.map(factor) }.joined(separator: "–")),
                    .text(line.baseline), .text(line.candidate),
                ]
            })
    }
}
