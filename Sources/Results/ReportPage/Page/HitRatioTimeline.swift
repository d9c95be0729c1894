import Reports
import TrialModel

/// Hit ratio over time: the phases are stretches of equal width, on one axis.
///
/// Where all strategies did the same number of operations in each phase, the axis counts operations, so that strategies
/// of different speed are compared at the same operation; elsewhere it is the time of the slowest one. A phase is divided
/// into as many parts as it has intervals, at most twenty, because a line with more can't be read beside others.
struct HitRatioTimeline {
    /// `nil` where each strategy has at most one point.
    let chart: LineChart?

    /// - Parameters:
    ///   - results: the repetitions of each strategy that completed.
    ///   - order: all rows of the scenario, in the order of the run.
    init(_ results: [(strategy: String, phases: [PhaseResult])], order: [PhaseResult]) {
        let names = order.filter { !$0.timeline.isEmpty }.map(\.trial.key.phase).distinct
        let phases = names.map { name in results.flatMap(\.phases).filter { $0.trial.key.phase == name } }
            .filter { !$0.isEmpty }
        let byOperations = phases.allSatisfy { Set($0.compactMap(\.trial.operations)).count == 1 }
        let stretches = phases.enumerated().map { TimelinePhase($1, index: $0, byOperations: byOperations) }
        let series = results.compactMap { strategy, phases -> LineChart.Series? in
            let pieces = stretches.map { $0.points(phases) }.filter { !$0.isEmpty }
            return pieces.isEmpty ? nil : LineChart.Series(strategy: strategy, pieces: Self.joined(pieces))
        }
        guard series.contains(where: { $0.pieces.joined().count > 1 }) else {
            chart = nil
            return
        }
        var (ticks, end) = ([Axis.Tick(value: 0, text: "0")], 0.0)
        for stretch in stretches {
            end += stretch.end
            let text = byOperations ? TickText.count(end) : TickText.duration(end)
            ticks.append(Axis.Tick(value: Double(stretch.index + 1), text: text))
        }
        chart = LineChart(
            title: "Hit ratio over time",
            x: Axis(
                title: (byOperations ? "operations" : "time") + ", each phase equally wide", scale: .linear,
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
    /// Its operations, or its nanoseconds.
    let end: Double
    private let byOperations: Bool
    private let parts: Int

    /// - Parameter results: the phase of all strategies; at least one.
    init(_ results: [PhaseResult], index: Int, byOperations: Bool) {
        (name, self.index, self.byOperations) = (results[0].trial.key.phase, index, byOperations)
        let lengths = results.compactMap { byOperations ? $0.trial.operations : $0.trial.elapsedNanoseconds }
        end = max(1, Double(lengths.max() ?? 1))
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
        let last = Double(result.trial.elapsedNanoseconds ?? 0)
        var done = 0.0
        for (place, row) in rows.enumerated() {
            let next = place + 1 < rows.count ? Double(rows[place + 1].elapsedMilliseconds) * 1e6 : last
            let from = byOperations ? done : Double(row.elapsedMilliseconds) * 1e6
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
        func part(_ place: Double) -> Int { Int(max(0, min(Double(parts - 1), place))) }
        let first = part(low)
        guard high > low else { return [(first, 1)] }
        return (first...max(first, part(high))).compactMap { part in
            let overlap = min(high, Double(part + 1)) - max(low, Double(part))
            return overlap > 0 ? (part, overlap / (high - low)) : nil
        }
    }
}
