import Statistics
import TrialModel

/// A figure by which the strategies of a scenario are ranked.
struct Criterion: Sendable {
    let metric: Metric
    /// The figure in words, with its phase.
    let text: String
    /// The figure in words, without its phase.
    let name: String
    /// The smallest difference worth reporting.
    var smallest: SmallestDifference
    /// The figures of slices by their numbers; empty where slices don't have the figure.
    var ofSlices: @Sendable ([PhaseResult]) -> [UInt64: Double] = { _ in [:] }
    /// The figure of one repetition; `nil` when it was not measured.
    let value: @Sendable ([PhaseResult]) -> Double?

    init(_ figure: DecidingFigure) {
        metric = figure.metric
        smallest = figure.metric.smallestDifference
        (text, name) = (figure.text, figure.name)
        let isPlain = figure.pool == .all && figure.operation == .all && figure.outcome == .all
        value = { figure.value($0) }
        guard isPlain, let read = figure.metric.ofSlice else { return }
        @Sendable func slices(of phase: String, _ phases: [PhaseResult]) -> [UInt64: Double] {
            let rows = phases.first { $0.trial.key.phase == phase }?.slices ?? []
            return Dictionary(rows.compactMap { row in read(row).map { (row.slice, $0) } }) { first, _ in first }
        }
        let before = figure.against.map { phase in figure.with { ($0.phase, $0.against) = (phase, nil) } }
        ofSlices = { phases in
            let own = slices(of: figure.phase, phases)
            guard let before else { return own }
            return before.value(phases).map { before in own.mapValues { $0 - before } } ?? [:]
        }
    }

    init(_ metric: Metric, _ name: String, value: @escaping @Sendable ([PhaseResult]) -> Double?) {
        (self.metric, self.value) = (metric, value)
        (text, self.name) = (name, name)
        smallest = metric.smallestDifference
    }

    /// Whether figures may differ by factors.
    var isRatio: Bool { smallest.share != nil }

    /// The figure with its unit; a difference between two phases may be negative.
    func shown(_ value: Double) -> String {
        (value < 0 ? "−" : "") + metric.text(value.magnitude) + (metric.format == .rate ? "/s" : "")
    }

    /// The figure with its unit and interval; `never` for what never came.
    func shown(_ estimate: Estimate?) -> String {
        guard let estimate else { return "never" }
        let reach = estimate.interval.map { ($0.upperBound - $0.lowerBound) / 2 } ?? 0
        return Quantity.text(shown(estimate.value), estimate.value, reach: reach)
    }
}
