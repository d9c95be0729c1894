import Reports
import TrialModel

/// The charts of a sweep: a curve for each strategy over the values, with a band over its repetitions.
struct SweepCharts {
    let sweep: Sweep

    /// The name of the reference line.
    static let ideal = "ideal"

    /// The figures that have charts.
    var figures: [Metric] {
        sweep.dimension == .capacity ? sweep.figures : sweep.tabledFigures
    }

    /// The two most important figures of the first group.
    var leading: [LineChart] {
        sweep.groups.first.map { group in figures.prefix(2).compactMap { chart($0, group) } } ?? []
    }

    /// The chart of a figure in a group; `nil` where nothing of it was measured. All groups have the same axes.
    func chart(_ figure: Metric, _ group: Sweep.Group) -> LineChart? {
        let series = series(figure, group)
        guard series.contains(where: { !$0.isReference }) else { return nil }
        let points = sweep.groups.flatMap { self.series(figure, $0) }.flatMap { $0.pieces.joined() }
        let figures = points.flatMap { [$0.y, $0.range?.lowerBound ?? $0.y, $0.range?.upperBound ?? $0.y] }
        let label = group.label.isEmpty ? "" : ", \(group.label)"
        let name = figure == .p99 ? "p99" : figure.title.prefix(1).uppercased() + figure.title.dropFirst()
        return LineChart(
            title: "\(name) by \(SweepTexts.name(sweep.dimension))\(label)",
            x: .values(sweep.texts.axisTitle(sweep.dimension), sweep.values) {
                sweep.texts.value($0, of: sweep.dimension)
            },
            y: axis(figure, figures), series: series, hasAllSigns: true)
    }

    /// How to read the chart.
    func caption(_ figure: Metric, _ group: Sweep.Group) -> String {
        var text = SweepTable.caption(figure, sweep)
        if sweep.repetitions > 1 { text += " Bands span all repetitions of a strategy." }
        if let (best, _) = ideal(figure, group) {
            text += " `\(Self.ideal)`: `\(best)` with the fewest clients, scaled by the number of clients."
        }
        if optimum(figure, group) != nil { text += " The optimum uses the future requests." }
        return text
    }

    private func axis(_ figure: Metric, _ values: [Double]) -> Axis {
        let title = figure.meaning.prefix(1).lowercased() + figure.meaning.dropFirst()
        return switch figure.format {
        case .nanoseconds: .logarithmic("99th percentile, log", values, text: TickText.duration)
        case .share: share(title, values)
        case .rate: .fitting(title, values, text: TickText.count)
        case .bytes, .decimal: .fitting("instructions for each operation", values, text: TickText.count)
        }
    }

    /// An axis from 0, unless all curves are far from 0 and close to each other. It spans at least ten points, so that
    /// small differences look small.
    private func share(_ title: String, _ values: [Double]) -> Axis {
        let (low, high) = (values.min() ?? 0, values.max() ?? 1)
        let isFar = low > 0.7 * high
        return .linear(title, values + (isFar ? [high - 0.1] : []), fromZero: !isFar, text: TickText.percent)
    }

    private func series(_ figure: Metric, _ group: Sweep.Group) -> [LineChart.Series] {
        let curves = (group.curves[figure] ?? []).filter { !$0.samples.isEmpty && !Self.isPlain($0, figure) }
        let ideal = ideal(figure, group).map {
            LineChart.Series(strategy: Self.ideal, pieces: [$0.points], isReference: true)
        }
        let optimum = optimum(figure, group).map {
            LineChart.Series(strategy: "optimum", pieces: pieces($0), isReference: true)
        }
        return curves.map { LineChart.Series(strategy: $0.strategy, pieces: pieces($0, hasBand: $0.mark == nil)) }
            + [ideal, optimum].compactMap(\.self)
    }

    /// Whether a baseline's value is trivial: no cache means no hits.
    private static func isPlain(_ curve: SweepCurve, _ figure: Metric) -> Bool {
        let known = [Metric.hitRatio: 0.0, .originShare: 1][figure]
        return curve.mark != nil && curve.samples.allSatisfy { $0.spread.median == known }
    }

    /// The curve in pieces, interrupted where a value has no figure.
    private func pieces(_ curve: SweepCurve, hasBand: Bool = false) -> [[LineChart.Point]] {
        sweep.values.map { curve[$0] }.split(whereSeparator: { $0 == nil }).map { piece in
            piece.compactMap(\.self).map { sample in
                let spread = sample.spread
                let band = hasBand && spread.low < spread.high ? spread.low...spread.high : nil
                return LineChart.Point(x: sample.x, y: spread.median, range: band)
            }
        }
    }

    /// The throughput of the fastest candidate with the fewest clients, scaled by the number of clients.
    private func ideal(
        _ figure: Metric, _ group: Sweep.Group
    ) -> (strategy: String, points: [LineChart.Point])? {
        guard figure == .throughput, sweep.dimension == .clients else { return nil }
        let candidates = (group.curves[figure] ?? []).filter { $0.mark == nil }
        let best = candidates.max { left, right in
            left.samples.map(\.spread.median).max() ?? 0 < right.samples.map(\.spread.median).max() ?? 0
        }
        guard let best, let first = best.samples.first, first.x > 0 else { return nil }
        return (
            best.strategy,
            sweep.values.map { LineChart.Point(x: $0, y: first.spread.median * $0 / first.x) }
        )
    }

    /// The figure of the clairvoyant optimum.
    private func optimum(_ figure: Metric, _ group: Sweep.Group) -> SweepCurve? {
        switch figure {
        case .hitRatio: group.optimum
        case .originShare where sweep.isOriginAsMisses: group.optimum?.complement
        default: nil
        }
    }
}

extension SweepCurve {
    /// Misses instead of hits.
    fileprivate var complement: SweepCurve {
        SweepCurve(
            strategy: strategy, mark: mark,
            samples: samples.compactMap { sample in SweepSample(x: sample.x, sample.repetitions.map { 1 - $0 }) })
    }
}
