import Reports
import TrialModel

/// The charts of one scenario; each is `nil` where nothing of it was measured.
struct ScenarioCharts {
    let ranking: ScenarioRanking
    let content: ReportContent

    /// The measured phases, in the order of the run.
    var phases: [String] {
        ranking.phases { ranking.measured.contains($0.trial.key.phase) }
    }

    /// Latencies by percentile in a phase, of all repetitions together.
    func latency(in phase: String) -> LineChart? {
        let operation = ranking.times?.operation ?? .all
        let lines = ranking.places.compactMap { place -> (String, LatencyCurve)? in
            let own = completed(place.summary.strategy).filter { $0.trial.key.phase == phase }
            return LatencyCurve(own, operation: operation, content.distributions).map { (place.summary.strategy, $0) }
        }
        guard !lines.isEmpty else { return nil }
        let points = lines.flatMap(\.1.points)
        return LineChart(
            title: "Latency by percentile, \(phase)",
            x: .percentiles("share of operations that took at most this long", upTo: points.map(\.nines).max() ?? 1),
            y: .logarithmic(
                "time of \(operation == .all ? "an operation" : "a \(operation)"), log", points.map(\.nanoseconds),
                text: TickText.duration),
            series: lines.map { name, curve in
                LineChart.Series(strategy: name, pieces: [curve.points.map { .init(x: $0.nines, y: $0.nanoseconds) }])
            })
    }

    /// A figure of each strategy, from the lowest to the highest repetition.
    func range(
        _ title: String, _ axisTitle: String, scale: Axis.Scale, isBinary: Bool = false,
        tick: (Double) -> String, text: (Double) -> String, _ figure: (RepetitionFigures) -> Double?
    ) -> RangeChart? {
        // Where a repetition lacks the figure, the table has none either.
        chart(title, text, { Spread($0.summary.repetitions.map(figure).complete()) }) { values in
            switch scale {
            case .linear: .linear(axisTitle, values, isBinary: isBinary, text: tick)
            case .logarithmic: .logarithmic(axisTitle + ", log", values, text: tick)
            }
        }
    }

    /// A row for each strategy that has a figure.
    private func chart(
        _ title: String, _ text: (Double) -> String, _ spread: (ScenarioRanking.Place) -> Spread?,
        axis: ([Double]) -> Axis
    ) -> RangeChart? {
        let rows = ranking.places.compactMap { place in
            spread(place).map {
                RangeChart.Row(strategy: place.summary.strategy, spread: $0, text: text($0.median))
            }
        }
        let values = rows.flatMap { [$0.spread.low, $0.spread.high] }
        return rows.isEmpty ? nil : RangeChart(title: title, axis: axis(values), rows: rows)
    }

    /// The figure that decides; `nil` in the usual order, whose figures have charts of their own.
    var deciding: RangeChart? {
        guard let metric = ranking.decidingMetric else { return nil }
        return chart(
            ranking.decidingText, metric.text, { ranking.decidingSpread(of: $0.summary.strategy) }
        ) { values in
            metric.format != .share && values.allSatisfy { $0 > 0 }
                ? .logarithmic(metric.title + ", log", values, text: metric.text)
                : .linear(metric.title, values, isBinary: false, text: metric.text)
        }
    }

    /// Hit ratios of a pool, or of all keys in a phase, with the optimum.
    func hitRatios(of pool: Selection<String>, in phase: String) -> RangeChart? {
        var optima: [Double] = []
        let title = pool == .all ? "Hit ratio, \(phase)" : "Hit ratio of pool \(pool), \(phase)"
        func spread(_ place: ScenarioRanking.Place) -> Spread? {
            let own = completed(place.summary.strategy).filter { $0.trial.key.phase == phase }
            let rates = own.compactMap { result in
                pool == .all ? result.hitRate : result.poolHitRates.first { $0.pool == pool }
            }
            optima += rates.compactMap(\.optimalHitRatio)
            return Spread(rates.compactMap(\.hitRatio))
        }
        var chart = chart(title, Quantity.percent, spread) { _ in .share("hits per lookup") }
        if let optimum = optima.median { chart?.reference = (optimum, "optimum \(Quantity.percent(optimum))") }
        return chart
    }

    /// The results of a strategy's repetitions that count.
    private func completed(_ strategy: String) -> [PhaseResult] {
        ranking.countedRepetitions(of: strategy).flatMap(\.self)
    }

    /// Hit ratios by interval, all phases side by side, warm-ups included.
    var timeline: LineChart? {
        let results = ranking.places.map { ($0.summary.strategy, completed($0.summary.strategy)) }
        return HitRatioTimeline(results.filter { !$0.1.isEmpty }, order: ranking.results).chart
    }
}
