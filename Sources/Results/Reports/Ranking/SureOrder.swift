import Statistics
import TrialModel

/// A figure by which the strategies of a scenario are ranked.
struct Criterion: Sendable {
    let metric: Metric
    /// The figure in words.
    let text: String
    /// The head of its column.
    let header: String
    /// The smallest difference worth reporting.
    var smallest: SmallestDifference
    /// The figures of slices by their numbers; empty where slices don't have the figure.
    var ofSlices: @Sendable ([PhaseResult]) -> [UInt64: Double] = { _ in [:] }
    /// The figure of one repetition; `nil` when it was not measured.
    let value: @Sendable ([PhaseResult]) -> Double?

    init(_ figure: DecidingFigure) {
        metric = figure.metric
        smallest = figure.metric.smallestDifference
        text = figure.text
        let tail = figure.against.map { " \(figure.phase) − \($0)" } ?? ""
        header = figure.metric.title + tail
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

    init(_ metric: Metric, text: String, header: String, value: @escaping @Sendable ([PhaseResult]) -> Double?) {
        (self.metric, self.text, self.header, self.value) = (metric, text, header, value)
        smallest = metric.smallestDifference
    }

    /// The figure with its unit; a difference between two phases may be negative.
    func shown(_ value: Double) -> String { (value < 0 ? "−" : "") + metric.text(value.magnitude) }
}

/// What the samples say about a strategy, compared with the best one of its scenario.
package enum RankVerdict: String, Sendable, Hashable {
    /// It has the best figure.
    case best
    /// It surely differs from the best by less than the smallest difference worth reporting.
    case same
    /// It is surely worse than the best.
    case worse
    /// The samples don't tell.
    case open
}

/// Which strategies of a scenario are surely worse than the best one.
///
/// Each strategy is compared with the one that has the best median, by pairs: the trials of one round. Where both took
/// turns, the difference of a round is the median over the slices that both have; else it is that of the two figures.
/// With the test of ``Shift``, a strategy is worse when it is surely behind by more than the smallest difference worth
/// reporting, and the same when it surely differs by less. The error of 5 % is divided between the comparisons by all
/// criteria, and the looks of a run that stops at a decision, so that the truly best strategy is called worse in at most
/// one of twenty tables.
///
/// The second criterion compares those that are the same by the first.
///
/// Source: S. S. Gupta, "On Some Multiple Decision (Selection and Ranking) Rules" (1965), for a set that holds the best;
/// J. C. Hsu, "Constrained Simultaneous Confidence Intervals for Multiple Comparisons with the Best" (1984).
struct SureOrder {
    /// A strategy and its place.
    struct Entry {
        let summary: StrategySummary
        let verdict: RankVerdict
        /// The median of each criterion; `nil` where it was not measured.
        let figures: [Double?]
    }

    /// A run that looks after each repetition, and stops at a decision, errs more often than one that looks once. It
    /// costs as much of the error as this many comparisons; the tests simulate it.
    static let looks = 3

    /// In the order of the table: those that may be best first, each group by its medians.
    let entries: [Entry]
    let criteria: [Criterion]
    /// The scale of the first figure; `nil` without a figure.
    private let scale: ComparisonScale?
    private let best: Double?
    /// Strategies without the first figure.
    let unmeasured: [StrategySummary]
    /// The strategies about which more repetitions may tell: the undecided ones, and those that they are compared with.
    let undecided: Set<String>

    /// - Parameters:
    ///   - summaries: the strategies to rank.
    ///   - results: the rows of the scenario.
    init(_ summaries: [StrategySummary], results: [PhaseResult], criteria: [Criterion]) {
        self.criteria = criteria
        let samples = Dictionary(grouping: results, by: \.trial.key.strategy).mapValues { rows in
            criteria.map { Samples(rows, $0) }
        }
        let known = summaries.filter { samples[$0.strategy]?.first?.median != nil }
        unmeasured = summaries.filter { samples[$0.strategy]?.first?.median == nil }
        var comparison = Comparison(criteria: criteria, samples: samples, names: known.map(\.strategy))
        let verdicts = comparison.verdicts()
        (scale, best) = (comparison.scale, comparison.best)
        undecided = comparison.undecided
        entries = known.map { summary in
            Entry(
                summary: summary, verdict: verdicts[summary.strategy] ?? .open,
                figures: (samples[summary.strategy] ?? []).map(\.median))
        }.sorted { left, right in
            if (left.verdict == .worse) != (right.verdict == .worse) { return right.verdict == .worse }
            if (left.verdict == .best) != (right.verdict == .best) { return left.verdict == .best }
            return comparison.precedes(left.summary.strategy, right.summary.strategy)
        }
    }

    /// Whether distances are factors.
    var isRatio: Bool { scale?.isRatio ?? false }

    /// How far a first figure is behind the best one: a factor, or a difference in the metric's unit.
    func distance(of figure: Double) -> Double? {
        guard let criterion = criteria.first, let scale, let best, !scale.isRatio || figure > 0 else { return nil }
        let sign = criterion.metric.higherIsBetter ? -1.0 : 1
        return scale.shown(sign * (scale.judged(figure) - scale.judged(best)))
    }

    /// The median of a criterion over a strategy's repetitions.
    static func median(_ rows: [PhaseResult], _ criterion: Criterion) -> Double? { Samples(rows, criterion).median }

    /// Whether nothing more can be learnt about who is best.
    var isDecided: Bool { !entries.isEmpty && undecided.isEmpty }
}

/// The samples of a strategy for one criterion.
private struct Samples {
    /// The figure of each repetition that completed.
    private(set) var repetitions: [Int: Double] = [:]
    /// Of each slice, by repetition.
    private(set) var slices: [Int: [UInt64: Double]] = [:]
    let median: Double?

    init(_ rows: [PhaseResult], _ criterion: Criterion) {
        for phases in rows.soundRepetitions {
            guard let value = criterion.value(phases), value.isFinite else { continue }
            let repetition = phases[0].trial.key.repetition
            repetitions[repetition] = value
            let sliced = criterion.ofSlices(phases)
            if !sliced.isEmpty { slices[repetition] = sliced }
        }
        median = repetitions.values.median
    }

    /// The figures of the rounds that both have, in order.
    func pairs(with other: Samples) -> [Pair] {
        repetitions.keys.sorted().compactMap { repetition in
            guard let own = repetitions[repetition], let others = other.repetitions[repetition] else { return nil }
            let (slices, otherSlices) = (self.slices[repetition] ?? [:], other.slices[repetition] ?? [:])
            return Pair(
                own: own, other: others,
                slices: slices.compactMap { number, own in otherSlices[number].map { (own, $0) } })
        }
    }

    /// The figures of two strategies in one round.
    struct Pair {
        let own: Double
        let other: Double
        let slices: [(own: Double, other: Double)]

        /// How much more the first one has. A median over slices that both took in turns leaves out what disturbed one
        /// of them.
        func difference(_ scale: ComparisonScale) -> Double {
            let differences = slices.compactMap { own, other -> Double? in
                guard scale.isRatio, own > 0, other > 0 else { return nil }
                return scale.judged(own) - scale.judged(other)
            }
            return differences.median ?? scale.judged(own) - scale.judged(other)
        }
    }
}

/// The comparison of all strategies with the best one.
private struct Comparison {
    let criteria: [Criterion]
    let samples: [String: [Samples]]
    let names: [String]
    private(set) var undecided: Set<String> = []

    private func samples(of name: String, _ criterion: Int) -> Samples? {
        guard let all = samples[name], all.indices.contains(criterion) else { return nil }
        return all[criterion]
    }

    /// Orders by the medians of the criteria, the first one before the second, then by name.
    func precedes(_ left: String, _ right: String) -> Bool {
        for (index, criterion) in criteria.enumerated() {
            guard let first = samples(of: left, index)?.median, let second = samples(of: right, index)?.median,
                first != second
            else { continue }
            return (first < second) != criterion.metric.higherIsBetter
        }
        return left < right
    }

    /// The name with the best median of a criterion.
    private func best(of names: [String], by criterion: Int) -> String? {
        names.filter { samples(of: $0, criterion)?.median != nil }.min { left, right in
            let (first, second) = (samples(of: left, criterion)?.median, samples(of: right, criterion)?.median)
            if let first, let second, first != second {
                return (first < second) != criteria[criterion].metric.higherIsBetter
            }
            return precedes(left, right)
        }
    }

    mutating func verdicts() -> [String: RankVerdict] {
        guard let best = best(of: names, by: 0) else { return [:] }
        var verdicts: [String: RankVerdict] = [:]
        for name in names { verdicts[name] = verdict(of: name, to: best, 0) }
        let equal = names.filter { verdicts[$0] == .best || verdicts[$0] == .same }
        guard criteria.count > 1, equal.count > 1, let second = self.best(of: equal, by: 1) else { return verdicts }
        for name in equal { verdicts[name] = verdict(of: name, to: second, 1) }
        return verdicts
    }

    private mutating func verdict(of name: String, to best: String, _ index: Int) -> RankVerdict {
        guard name != best else { return .best }
        let verdict = judged(name, best, index)
        if verdict == .open { undecided.formUnion([name, best]) }
        return verdict
    }

    /// What the rounding of logarithms may add to a difference.
    private static let rounding = 1e-9

    private func judged(_ name: String, _ best: String, _ index: Int) -> RankVerdict {
        guard let own = samples(of: name, index), let other = samples(of: best, index) else { return .open }
        let criterion = criteria[index]
        let pairs = own.pairs(with: other)
        guard !pairs.isEmpty else { return .open }
        // A count that is equal in every workload is the same; its samples have no noise.
        if criterion.metric.isCount, pairs.allSatisfy({ $0.own == $0.other }) { return .same }
        let scale = ComparisonScale([pairs.map(\.own), pairs.map(\.other)], criterion.smallest)
        let sign = criterion.metric.higherIsBetter ? -1.0 : 1
        guard let behind = Shift(differences: pairs.map { sign * $0.difference(scale) }) else { return .open }
        let error = ErrorSpending.each(of: (names.count - 1) * criteria.count + SureOrder.looks)
        // A figure in steps of the clock may lie on the margin.
        let margin = scale.margin + Self.rounding
        return switch behind.position(from: -margin, to: margin, error: error) {
        case .above: .worse
        case .within: .same
        case .below, .open: .open
        }
    }

    /// The scale of the first figure over all strategies.
    var scale: ComparisonScale? {
        guard let criterion = criteria.first else { return nil }
        return ComparisonScale(
            names.compactMap { samples(of: $0, 0)?.median.map { [$0] } }, criterion.smallest)
    }

    /// The best median of the first criterion.
    var best: Double? { best(of: names, by: 0).flatMap { samples(of: $0, 0)?.median } }
}
