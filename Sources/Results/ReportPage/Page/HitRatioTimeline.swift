import Reports
import TrialModel

/// Hit ratio over time: the phases are stretches of equal width.
///
/// Where all strategies did the same number of operations in a phase, the axis of the phase counts operations, so that
/// strategies of different speed are compared at the same operation; elsewhere it is time. A phase is divided into as
/// many parts as it has intervals, at most twenty, because a line with more can't be read beside others.
struct HitRatioTimeline {
    /// `nil` where each strategy has at most one point.
    let chart: LineChart?

    /// - Parameters:
    ///   - results: the repetitions of each strategy that completed.
    ///   - order: all rows of the scenario, in the order of the run.
    init(_ results: [(strategy: String, phases: [PhaseResult])], order: [PhaseResult]) {
        var stretches: [TimelinePhase] = []
        for result in order where !result.timeline.isEmpty {
            let name = result.trial.key.phase
            guard !stretches.contains(where: { $0.name == name }) else { continue }
            let own = results.flatMap(\.phases).filter { $0.trial.key.phase == name }
            if !own.isEmpty { stretches.append(TimelinePhase(name, own, index: stretches.count)) }
        }
        let series = results.compactMap { strategy, phases -> LineChart.Series? in
            let pieces = stretches.map { $0.points(phases) }.filter { !$0.isEmpty }
            return pieces.isEmpty ? nil : LineChart.Series(strategy: strategy, pieces: Self.joined(pieces))
        }
        guard series.contains(where: { $0.pieces.joined().count > 1 }) else {
            chart = nil
            return
        }
        var ticks = [Axis.Tick(value: 0, text: "0")]
        for stretch in stretches { ticks.append(Axis.Tick(value: Double(stretch.index + 1), text: stretch.length)) }
        chart = LineChart(
            title: "Hit ratio over time",
            x: Axis(
                title: "each phase by its operations, or by its time", scale: .linear,
                range: 0...Double(max(1, stretches.count)), ticks: ticks),
            y: .share("hits per lookup"), series: series,
            stretches: stretches.map {
                LineChart.Stretch(from: Double($0.index), to: Double($0.index + 1), name: $0.name)
            })
    }

    /// Single points of several phases as one line, because the cache keeps its content between phases.
    private static func joined(_ pieces: [[LineChart.Point]]) -> [[LineChart.Point]] {
        pieces.allSatisfy { $0.count == 1 } ? [pieces.flatMap { $0 }] : pieces
    }
}

/// A phase of the chart.
private struct TimelinePhase {
    let name: String
    let index: Int
    /// The text at its end.
    let length: String
    private let byOperations: Bool
    private let end: Double
    private let parts: Int

    init(_ name: String, _ results: [PhaseResult], index: Int) {
        self.name = name
        self.index = index
        let totals = Set(results.compactMap(\.trial.operations))
        byOperations = totals.count == 1
        if byOperations, let total = totals.first {
            end = Double(max(1, total))
            length = TickText.count(end) + " op."
        } else {
            let elapsed = results.compactMap(\.trial.elapsedNanoseconds).max() ?? 1
            end = max(1, Double(elapsed) / 1_000_000)
            length = TickText.duration(Double(elapsed))
        }
        let intervals = results.map { result in result.timeline.count { $0.operation == .all } }.max() ?? 1
        parts = max(1, min(20, intervals))
    }

    /// A point for each part: the median of the repetitions' ratios.
    func points(_ phases: [PhaseResult]) -> [LineChart.Point] {
        let repetitions = phases.filter { $0.trial.key.phase == name }.map(ratios)
        return (0..<parts).compactMap { part in
            repetitions.compactMap { $0[part] }.median.map {
                LineChart.Point(x: Double(index) + (Double(part) + 0.5) / Double(parts), y: $0)
            }
        }
    }

    /// The hit ratio in each part of a repetition: operations that ended in an interval are spread evenly over it.
    private func ratios(_ result: PhaseResult) -> [Double?] {
        var hits = [Double](repeating: 0, count: parts)
        var lookups = hits
        let rows = result.timeline.filter { $0.operation == .all }
            .sorted { $0.elapsedMilliseconds < $1.elapsedMilliseconds }
        let last = Double(result.trial.elapsedNanoseconds ?? 0) / 1_000_000
        var done = 0.0
        for (place, row) in rows.enumerated() {
            let next = place + 1 < rows.count ? Double(rows[place + 1].elapsedMilliseconds) : last
            let from = byOperations ? done : Double(row.elapsedMilliseconds)
            let to = byOperations ? done + Double(row.count) : max(from, next)
            done += Double(row.count)
            for (part, share) in shares(from, to) {
                hits[part] += share * Double(row.hits)
                lookups[part] += share * (Double(row.hits) + Double(row.misses))
            }
        }
        return zip(hits, lookups).map { $1 > 1e-9 ? min(1, $0 / $1) : nil }
    }

    /// The parts that a stretch overlaps, and the share of the stretch in each part.
    private func shares(_ from: Double, _ to: Double) -> [(Int, Double)] {
        let (low, high) = (from / end * Double(parts), to / end * Double(parts))
        let first = max(0, min(parts - 1, Int(low)))
        guard high > low else { return [(first, 1)] }
        return (first...max(first, min(parts - 1, Int(high)))).compactMap { part in
            let overlap = min(high, Double(part + 1)) - max(low, Double(part))
            return overlap > 0 ? (part, overlap / (high - low)) : nil
        }
    }
}
