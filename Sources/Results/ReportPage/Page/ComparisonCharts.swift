import Reports
import TrialModel

/// Figures of a comparison with their intervals: a chart for each metric.
///
/// Each interval is drawn over a band that counts as the same. An interval completely beyond the band is better or
/// worse, one completely within it is the same, and any other is inconclusive.
struct ComparisonCharts {
    let rows: [ComparisonRow]
    let palette: Palette

    var html: String {
        charts.map { Figure.html($0, caption: Self.caption($0), palette) }.joined()
    }

    /// A chart for each metric; two where some figures are judged as ratios and some as differences.
    var charts: [RangeChart] {
        rows.grouped(by: \.metric).flatMap { metric, all in
            [ratios(metric, all), differences(metric, all)].compactMap(\.self)
        }
    }

    /// The chart of the figures judged as ratios.
    private func ratios(_ metric: String, _ rows: [ComparisonRow]) -> RangeChart? {
        let lines = rows.compactMap { row in
            line(
                row, (row.ratioLow, row.ratio, row.ratioHigh),
                band: Self.smallestDifference(row).map { (1 / (1 + $0))...(1 + $0) })
        }.filter { $0.spread.low > 0 }
        guard !lines.isEmpty else { return nil }
        // The axis extends half a band's width beyond the band, so that the ends of the band are visible.
        let values = lines.flatMap { line -> [Double] in
            let band = line.band ?? (0.96...1.04)
            let ends = [band.lowerBound, band.upperBound].map { $0 * $0.squareRoot() }
            return [line.spread.low, line.spread.high] + ends
        }
        let (low, high) = (values.min() ?? 1, values.max() ?? 1)
        // A narrow range needs a linear axis: powers of ten would hide it.
        let axis =
            high < 3 * low
            ? Axis.linear(
                "candidate / baseline", values, fromZero: false,
                text: high - low > 0.1 ? TickText.factor : TickText.closeFactor)
            : Axis.logarithmic("candidate / baseline, log", values, text: TickText.factor)
        return RangeChart(title: metric, axis: axis, rows: lines, reference: (1, "the same"))
    }

    /// The chart of the figures judged as differences: points of a ratio, or the metric's unit.
    private func differences(_ metric: String, _ rows: [ComparisonRow]) -> RangeChart? {
        let isInPoints = Metric(rawValue: metric)?.format == .share
        let scale = isInPoints ? 100.0 : 1
        let lines = rows.compactMap { row in
            line(
                row,
                (
                    row.differenceLow.map { $0 * scale }, row.difference.map { $0 * scale },
                    row.differenceHigh.map { $0 * scale }
                ),
                band: Self.smallestDifference(row).map { (-$0 * scale)...($0 * scale) })
        }
        guard !lines.isEmpty else { return nil }
        let values = lines.flatMap { line -> [Double] in
            let end = (line.band?.upperBound ?? scale / 150) * 1.5
            return [line.spread.low, line.spread.high, -end, end]
        }
        let unit = isInPoints ? "pp" : rows.first?.unit ?? ""
        let axis = Axis.linear(
            "candidate − baseline, \(unit)", values, fromZero: false, text: { Markup.number($0) })
        return RangeChart(title: metric, axis: axis, rows: lines, reference: (0, "the same"))
    }

    /// The smallest difference worth reporting; `nil` without one, and where the file has an invalid value.
    private static func smallestDifference(_ row: ComparisonRow) -> Double? {
        guard let difference = row.smallestDifference, difference > 0, difference < 1e6 else { return nil }
        return difference
    }

    private func line(
        _ row: ComparisonRow, _ figures: (low: Double?, middle: Double?, high: Double?), band: ClosedRange<Double>?
    ) -> RangeChart.Row? {
        guard let middle = figures.middle else { return nil }
        let name = row.strategy + (rows.haveSeveralBaselines ? " against \(row.baselineStrategy)" : "")
        return RangeChart.Row(
            strategy: row.strategy,
            spread: Spread(low: figures.low ?? middle, median: middle, high: figures.high ?? middle),
            text: "\(ComparisonText.change(row)) \(row.verdict.rawValue)",
            name: row.phase.isEmpty ? name : "\(name), \(row.phase)", band: band,
            isUndecided: row.verdict == .inconclusive)
    }

    /// How to read a chart whose title is its metric.
    private static func caption(_ chart: RangeChart) -> String {
        var text = "The candidate has less on the left, more on the right."
        if let metric = Metric(rawValue: chart.title) {
            text += " Further \(metric.higherIsBetter ? "right" : "left") is better."
        }
        if chart.rows.contains(where: { $0.band != nil }) { text += " The shaded band counts as the same." }
        if chart.rows.contains(where: { $0.isUndecided == true }) {
            text += " A hollow marker with a dashed line is inconclusive."
        }
        return text
    }
}

extension ComparisonCharts {
    /// The rows as a table; reasons have a column where there are any, scenarios and baseline strategies where there are
    /// several.
    static func table(_ rows: [ComparisonRow]) -> Table {
        var columns = [TableColumn<ComparisonRow>("strategy") { .text($0.strategy) }]
        if Set(rows.map(\.scenario)).count > 1 {
            columns.insert(TableColumn("scenario") { .text("\($0.scenario)") }, at: 0)
        }
        if rows.haveSeveralBaselines { columns.append(TableColumn("against") { .text($0.baselineStrategy) }) }
        columns += figures
        if rows.contains(where: { !$0.reason.isEmpty }) { columns.append(TableColumn("why") { .text($0.reason) }) }
        return Table(of: rows, columns)
    }

    private static var figures: [TableColumn<ComparisonRow>] {
        [
            TableColumn("phase") { .text($0.phase) },
            TableColumn("metric") { .text($0.metric) }, TableColumn("verdict") { .text($0.verdict.rawValue) },
            TableColumn("change", .right) { row in
                .number(row.ratio.map { $0 - 1 } ?? row.difference, places: 6) { _ in ComparisonText.change(row) }
            },
            TableColumn("interval", .right) { .text(ComparisonText.interval($0)) },
            TableColumn("baseline", .right) { ComparisonText.cell($0.baseline, $0) },
            TableColumn("candidate", .right) { ComparisonText.cell($0.candidate, $0) },
            TableColumn("samples", cell: samples),
        ]
    }

    /// The kind of samples behind a figure, and their number.
    private static func samples(_ row: ComparisonRow) -> TableCell {
        let (before, after) = (row.baselineRepetitions, row.candidateRepetitions)
        switch row.sampledIn {
        case .slices:
            let text = Quantity.many(row.slices, "slice") + " in " + Quantity.many(min(before, after), "block")
            return TableCell(text, value: .integer(row.slices))
        case .repetitions:
            let text =
                before == after ? Quantity.many(after, "repetition") : "\(before) and \(after) repetitions"
            return TableCell(text, value: .integer(min(before, after)))
        }
    }
}
