import Reports
import TrialModel

/// Figures of a comparison with their intervals: a picture for each metric.
struct ComparisonCharts {
    private let rows: [ComparisonRow]
    private let palette: Palette

    init(_ rows: [ComparisonRow], _ palette: Palette) {
        self.rows = rows
        self.palette = palette
    }

    var html: String {
        var metrics: [String] = []
        for row in rows where !metrics.contains(row.metric) { metrics.append(row.metric) }
        return metrics.flatMap { metric -> [String] in
            let all = rows.filter { $0.metric == metric }
            return [ratios(metric, all), differences(metric, all)].compactMap(\.self).map {
                Figure.html($0, caption: Self.caption(metric), palette)
            }
        }.joined()
    }

    /// Where figures are judged as ratios.
    private func ratios(_ metric: String, _ rows: [ComparisonRow]) -> RangeChart? {
        let lines = rows.compactMap { row in line(row, (row.ratioLow, row.ratio, row.ratioHigh)) }
            .filter { $0.spread.low > 0 }
        guard !lines.isEmpty else { return nil }
        let values = lines.flatMap { [$0.spread.low, $0.spread.high] } + [0.95, 1.05]
        // A narrow range needs a plain axis: powers of ten would hide it.
        let isNarrow = (values.max() ?? 1) < 3 * (values.min() ?? 1)
        let axis =
            isNarrow
            ? Axis.linear("candidate / baseline", values, fromZero: false, text: TickText.factor)
            : Axis.logarithmic("candidate / baseline, log", values, text: TickText.factor)
        return RangeChart(title: metric, axis: axis, rows: lines, reference: (1, "the same"))
    }

    /// Where they are judged as differences: points of a ratio, or the metric's unit.
    private func differences(_ metric: String, _ rows: [ComparisonRow]) -> RangeChart? {
        let isInPoints = ComparisonMetric(rawValue: metric)?.isCount ?? false
        let scale = isInPoints ? 100.0 : 1
        let lines = rows.compactMap { row in
            line(
                row,
                (
                    row.differenceLow.map { $0 * scale }, row.difference.map { $0 * scale },
                    row.differenceHigh.map { $0 * scale }
                ))
        }
        guard !lines.isEmpty else { return nil }
        let values = lines.flatMap { [$0.spread.low, $0.spread.high] } + [-1, 1].map { $0 * scale / 100 }
        let unit = isInPoints ? "points" : rows.first?.unit ?? ""
        let axis = Axis.linear(
            "candidate − baseline, \(unit)", values, fromZero: false, text: { Markup.number($0) })
        return RangeChart(title: metric, axis: axis, rows: lines, reference: (0, "the same"))
    }

    private func line(_ row: ComparisonRow, _ figures: (low: Double?, middle: Double?, high: Double?)) -> RangeChart
        .Row?
    {
        guard let middle = figures.middle else { return nil }
        return RangeChart.Row(
            strategy: row.strategy,
            spread: Spread(low: figures.low ?? middle, median: middle, high: figures.high ?? middle),
            text: "\(ComparisonText.change(row)) \(row.verdict.rawValue)",
            name: row.phase.isEmpty ? row.strategy : "\(row.strategy), \(row.phase)")
    }

    private static func caption(_ metric: String) -> String {
        let better = ComparisonMetric(rawValue: metric).map { $0.higherIsBetter ? "right" : "left" }
        return "Left, the candidate has less, right more." + (better.map { " Further \($0) is better." } ?? "")
    }

    /// The rows as a table.
    static func table(_ rows: [ComparisonRow]) -> Table {
        Table(
            columns: [
                TableColumn("strategy"), TableColumn("phase"), TableColumn("metric"), TableColumn("verdict"),
                TableColumn("change", .right), TableColumn("interval", .right), TableColumn("baseline", .right),
                TableColumn("candidate", .right),
            ],
            rows: rows.map { row in
                let change = ComparisonText.change(row)
                let value = row.ratio.map { $0 - 1 } ?? row.difference
                return [
                    .text(row.strategy), .text(row.phase), .text(row.metric), .text(row.verdict.rawValue),
                    value.map { TableCell(change, value: .number($0, places: 6)) } ?? .empty,
                    .text(ComparisonText.interval(row)),
                    figure(row.baseline, row), figure(row.candidate, row),
                ]
            })
    }

    private static func figure(_ value: Double?, _ row: ComparisonRow) -> TableCell {
        value.map { TableCell(ComparisonText.figure($0, row), value: .number($0, places: 6)) } ?? .empty
    }
}
