import Reports
import TrialModel

/// The pictures of one scenario; each is `nil` where nothing of it was measured.
struct ScenarioCharts {
    let ranking: ScenarioRanking
    let content: ReportContent

    /// The phases that were measured, in the order of the run.
    var phases: [String] {
        var seen: Set<String> = []
        return ranking.results.map(\.trial.key.phase).filter {
            ranking.measured.contains($0) && seen.insert($0).inserted
        }
    }

    /// Latencies by percentile in a phase, of all repetitions together.
    func latency(in phase: String) -> LineChart? {
        let operation = ranking.times?.operation ?? "all"
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
                "time of \(operation == "all" ? "an operation" : "a \(operation)"), log", points.map(\.nanoseconds),
                text: TickText.duration),
            series: lines.map { name, curve in
                LineChart.Series(strategy: name, pieces: [curve.points.map { .init(x: $0.nines, y: $0.nanoseconds) }])
            })
    }

    /// A figure of each strategy, from the lowest to the highest repetition.
    func range(
        _ title: String, _ axisTitle: String, scale: Axis.Scale, lowIsWorse: Bool = false,
        tick: (Double) -> String, text: (Double) -> String, _ figure: (StrategySummary.Repetition) -> Double?
    ) -> RangeChart? {
        let rows = ranking.places.compactMap { place -> RangeChart.Row? in
            let figures = place.summary.repetitions.compactMap(figure)
            guard let spread = Middle.spread(figures, lowIsWorse: lowIsWorse) else { return nil }
            return RangeChart.Row(strategy: place.summary.strategy, spread: spread, text: text(spread.median))
        }
        guard !rows.isEmpty else { return nil }
        let values = rows.flatMap { [$0.spread.low, $0.spread.high] }
        let axis =
            switch scale {
            case .linear: Axis.linear(axisTitle, values, text: tick)
            case .logarithmic: Axis.logarithmic(axisTitle + ", log", values, text: tick)
            }
        return RangeChart(title: title, axis: axis, rows: rows)
    }

    /// Hit ratios of a pool, or of all keys in a phase, with the optimum.
    func hitRatios(of pool: String, in phase: String) -> RangeChart? {
        var optima: [Double] = []
        let rows = ranking.places.compactMap { place -> RangeChart.Row? in
            let own = completed(place.summary.strategy).filter { $0.trial.key.phase == phase }
            let rates = own.compactMap { result in
                pool == KeyPool.everyName ? result.hitRate : result.poolHitRates.first { $0.pool == pool }
            }
            optima += rates.compactMap(\.optimalHitRatio)
            guard let spread = Middle.spread(rates.compactMap(\.hitRatio), lowIsWorse: true) else { return nil }
            return RangeChart.Row(
                strategy: place.summary.strategy, spread: spread, text: Quantity.percent(spread.median))
        }
        guard !rows.isEmpty else { return nil }
        let title = pool == KeyPool.everyName ? "Hit ratio, \(phase)" : "Hit ratio of pool \(pool), \(phase)"
        var chart = RangeChart(title: title, axis: .share("hits per lookup"), rows: rows)
        if let optimum = Middle.spread(optima)?.median {
            chart.reference = (optimum, "optimum \(Quantity.percent(optimum))")
        }
        return chart
    }

    /// The pools that are told apart.
    var pools: [String] {
        var seen: Set<String> = []
        return ranking.results.flatMap(\.poolHitRates).map(\.pool).filter { seen.insert($0).inserted }
    }

    /// The results of a strategy's repetitions in which all phases completed; those of the others show another workload.
    private func completed(_ strategy: String) -> [PhaseResult] {
        let own = ranking.results.filter { $0.trial.key.trial.strategy == strategy }
        let flawed = Set(own.filter { $0.trial.status != .completed }.map(\.trial.key.trial.repetition))
        return own.filter { !flawed.contains($0.trial.key.trial.repetition) }
    }

    /// Hit ratios from interval to interval, all phases side by side, warm-ups too.
    var timeline: LineChart? {
        let results = ranking.places.map { ($0.summary.strategy, completed($0.summary.strategy)) }
        return HitRatioTimeline(results.filter { !$0.1.isEmpty }, of: ranking).chart
    }
}

/// Hit ratio over time: the phases as stretches of equal width, each with its own time.
private struct HitRatioTimeline {
    let chart: LineChart?

    init(_ results: [(strategy: String, phases: [PhaseResult])], of ranking: ScenarioRanking) {
        var names: [String] = []
        for result in ranking.results where !result.timeline.isEmpty && !names.contains(result.trial.key.phase) {
            names.append(result.trial.key.phase)
        }
        let lengths = names.map { name in Self.length(of: name, results.flatMap(\.phases)) }
        let series = results.compactMap { strategy, phases -> LineChart.Series? in
            let pieces = names.indices.map { index in
                Self.points(phases.filter { $0.trial.key.phase == names[index] }, index, lengths[index])
            }
            // One line through all phases: the cache lives through them.
            let points = pieces.flatMap { $0 }
            return points.isEmpty ? nil : LineChart.Series(strategy: strategy, pieces: [points])
        }
        guard !series.isEmpty, series.contains(where: { $0.pieces.joined().count > 1 }) else {
            chart = nil
            return
        }
        let ticks = lengths.enumerated().flatMap { index, length in
            (index == 0 ? [Axis.Tick(value: 0, text: "0")] : [])
                + [Axis.Tick(value: Double(index + 1), text: TickText.duration(length * 1_000_000))]
        }
        let stretches = names.enumerated().map { index, name in
            LineChart.Stretch(from: Double(index), to: Double(index + 1), name: name)
        }
        chart = LineChart(
            title: "Hit ratio over time",
            x: Axis(
                title: "time in each phase; its end is the slowest strategy's", scale: .linear,
                range: 0...Double(max(1, names.count)), ticks: ticks),
            y: .share("hits per lookup"), series: series, stretches: stretches)
    }

    /// How long a phase took the slowest strategy, in milliseconds.
    private static func length(of phase: String, _ results: [PhaseResult]) -> Double {
        let own = results.filter { $0.trial.key.phase == phase }
        let elapsed = own.compactMap(\.trial.elapsedNanoseconds).max().map { Double($0) / 1_000_000 } ?? 0
        let last = own.flatMap(\.timeline).map(\.elapsedMilliseconds).max().map(Double.init) ?? 0
        return max(elapsed, last + 1, 1)
    }

    /// A point in the middle of each interval: the median of the repetitions.
    private static func points(_ repetitions: [PhaseResult], _ index: Int, _ length: Double) -> [LineChart.Point] {
        var ratios: [UInt64: [Double]] = [:]
        for row in repetitions.flatMap(\.timeline) where row.operation == "all" {
            let lookups = Double(row.hits) + Double(row.misses)
            if lookups > 0 { ratios[row.elapsedMilliseconds, default: []].append(Double(row.hits) / lookups) }
        }
        let times = ratios.keys.sorted()
        return times.enumerated().compactMap { place, time in
            let end = place + 1 < times.count ? Double(times[place + 1]) : phaseEnd(repetitions, length)
            let middle = (Double(time) + max(Double(time), end)) / 2
            return Middle.spread(ratios[time] ?? [], lowIsWorse: true).map {
                LineChart.Point(x: Double(index) + min(1, middle / length), y: $0.median)
            }
        }
    }

    /// When the phase ended for this strategy, in milliseconds.
    private static func phaseEnd(_ repetitions: [PhaseResult], _ length: Double) -> Double {
        Middle.spread(repetitions.compactMap(\.trial.elapsedNanoseconds).map { Double($0) / 1_000_000 })?.median
            ?? length
    }
}
