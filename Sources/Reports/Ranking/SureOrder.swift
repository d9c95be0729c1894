import TrialModel

/// Ranks that state only what is sure.
enum Rank {
    /// For each entry, one more than the number of entries that are surely better. Two entries can share a rank if
    /// neither is surely better than the other. Costs O(n²) comparisons.
    static func all<Entry>(_ entries: [Entry], isBetter: (Entry, Entry) -> Bool) -> [Int] {
        entries.map { entry in 1 + entries.count { isBetter($0, entry) } }
    }
}

/// A figure by which the strategies of a scenario are ranked.
struct Criterion: Sendable {
    let metric: Metric
    /// The figure in words.
    let text: String
    /// The head of its column.
    let header: String
    /// The figures of slices by their numbers; empty where slices don't have the figure.
    var ofSlices: @Sendable ([PhaseResult]) -> [UInt64: Double] = { _ in [:] }
    /// The figure of one repetition; `nil` when it was not measured.
    let value: @Sendable ([PhaseResult]) -> Double?

    init(_ figure: DecidingFigure) {
        metric = figure.metric
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
/// Each strategy is compared with the one that has the best median, by pairs: the slices that both took in turns, or
/// the trials of the same repetition. It is worse when the exact one-sided test of the shift (Wilcoxon's signed ranks)
/// rejects that it is at most the smallest difference behind, and the same when the tests reject that it differs by that
/// difference or more. The error of 5 % is divided between the comparisons by all criteria, so that the truly best
/// strategy is called worse in at most one of twenty tables.
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

    /// The probability that the best strategy is called worse.
    static let error = 0.05

    /// In the order of the table: those that may be best first, each group by its medians.
    let entries: [Entry]
    let criteria: [Criterion]
    /// The scale of the first figure; `nil` without a figure.
    private let scale: ComparisonScale?
    private let best: Double?
    /// Strategies without the first figure.
    let unmeasured: [StrategySummary]

    /// - Parameters:
    ///   - summaries: the strategies to rank.
    ///   - results: the rows of the scenario.
    init(_ summaries: [StrategySummary], results: [PhaseResult], criteria: [Criterion]) {
        self.criteria = criteria
        let samples = Dictionary(grouping: results, by: \.trial.key.trial.strategy).mapValues { rows in
            criteria.map { Samples(rows, $0) }
        }
        let known = summaries.filter { samples[$0.strategy]?.first?.median != nil }
        unmeasured = summaries.filter { samples[$0.strategy]?.first?.median == nil }
        var comparison = Comparison(criteria: criteria, samples: samples, names: known.map(\.strategy))
        let verdicts = comparison.verdicts()
        (scale, best) = (comparison.scale, comparison.best)
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
    var isDecided: Bool { !entries.isEmpty && !entries.contains { $0.verdict == .open } }
}

/// The samples of a strategy for one criterion.
private struct Samples {
    /// The figure of each repetition that completed.
    private(set) var repetitions: [Int: Double] = [:]
    /// Of each slice, by repetition.
    private(set) var slices: [Int: [UInt64: Double]] = [:]
    let median: Double?
    private let isCount: Bool

    init(_ rows: [PhaseResult], _ criterion: Criterion) {
        isCount = criterion.metric.isCount
        for (repetition, phases) in Dictionary(grouping: rows, by: \.trial.key.trial.repetition)
        where phases.allSatisfy({ $0.trial.status == .completed }) {
            guard let value = criterion.value(phases), value.isFinite else { continue }
            repetitions[repetition] = value
            let sliced = criterion.ofSlices(phases)
            if !sliced.isEmpty { slices[repetition] = sliced }
        }
        median = repetitions.values.median
    }

    /// Pairs of figures: blocks of slices that both took in turns where all repetitions have them, else repetitions.
    func pairs(with other: Samples) -> [(own: Double, other: Double)] {
        let common = repetitions.keys.filter { other.repetitions[$0] != nil }.sorted()
        let sliced = common.flatMap { repetition -> [(own: Double, other: Double)] in
            let (own, others) = (slices[repetition] ?? [:], other.slices[repetition] ?? [:])
            let both = own.keys.filter { others[$0] != nil }.sorted()
            return blocks(both.map { (own[$0] ?? 0, others[$0] ?? 0) })
        }
        if common.allSatisfy({ slices[$0] != nil && other.slices[$0] != nil }), sliced.count > common.count {
            return sliced
        }
        return common.map { (repetitions[$0] ?? 0, other.repetitions[$0] ?? 0) }
    }

    /// The largest number of blocks of a repetition.
    private static let blockCount = 16

    /// The middle of blocks of neighbours, which depend on each other more than on those farther away: the median of
    /// times, and the mean of counts, which have few values in a slice.
    private func blocks(_ pairs: [(own: Double, other: Double)]) -> [(own: Double, other: Double)] {
        let count = min(Self.blockCount, pairs.count)
        func middle(_ figures: [Double]) -> Double? {
            isCount ? figures.reduce(0, +) / Double(max(1, figures.count)) : figures.median
        }
        return (0..<count).compactMap { block in
            let part = pairs[(block * pairs.count / count)..<((block + 1) * pairs.count / count)]
            guard let own = middle(part.map(\.own)), let other = middle(part.map(\.other)) else { return nil }
            return (own, other)
        }
    }
}

/// The comparison of all strategies with the best one.
private struct Comparison {
    let criteria: [Criterion]
    let samples: [String: [Samples]]
    let names: [String]
    private var cache = RankDistributions()

    init(criteria: [Criterion], samples: [String: [Samples]], names: [String]) {
        (self.criteria, self.samples, self.names) = (criteria, samples, names)
    }

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
        for name in names { verdicts[name] = name == best ? .best : verdict(of: name, to: best, 0) }
        let equal = names.filter { verdicts[$0] == .best || verdicts[$0] == .same }
        guard criteria.count > 1, equal.count > 1, let second = self.best(of: equal, by: 1) else { return verdicts }
        for name in equal { verdicts[name] = name == second ? .best : verdict(of: name, to: second, 1) }
        return verdicts
    }

    private mutating func verdict(of name: String, to best: String, _ index: Int) -> RankVerdict {
        guard let own = samples(of: name, index), let other = samples(of: best, index), own.median != nil else {
            return .open
        }
        let criterion = criteria[index]
        let pairs = own.pairs(with: other)
        guard !pairs.isEmpty else { return .open }
        // A count that is equal in every workload is the same; its samples have no noise.
        if criterion.metric.isCount, pairs.allSatisfy({ $0.own == $0.other }) { return .same }
        let scale = ComparisonScale([pairs.map(\.own), pairs.map(\.other)], criterion.metric.smallestDifference)
        let sign = criterion.metric.higherIsBetter ? -1.0 : 1
        let behind = pairs.map { sign * (scale.judged($0.own) - scale.judged($0.other)) }
        let shift = Shift(differences: behind, cache: &cache)
        let error = SureOrder.error / Double(max((names.count - 1) * criteria.count, 1))
        if shift.probability(ofAtMost: scale.margin) <= error { return .worse }
        let isWithin =
            shift.probability(ofAtLeast: scale.margin) <= error
            && shift.probability(ofAtMost: -scale.margin) <= error
        return isWithin ? .same : .open
    }

    /// The scale of the first figure over all strategies.
    var scale: ComparisonScale? {
        guard let criterion = criteria.first else { return nil }
        return ComparisonScale(
            names.compactMap { samples(of: $0, 0)?.median.map { [$0] } }, criterion.metric.smallestDifference)
    }

    /// The best median of the first criterion.
    var best: Double? { best(of: names, by: 0).flatMap { samples(of: $0, 0)?.median } }
}
