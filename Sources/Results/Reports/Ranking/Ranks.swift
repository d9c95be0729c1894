import Foundation
import Statistics
import TrialModel

/// How a strategy compares with the best one of its scenario.
package enum RankVerdict: String, Sendable, Hashable {
    /// It has the best figure.
    case best
    /// It can't be told from the best.
    case tied
    /// It is worse than the best.
    case worse

    /// The sign before its figure: `●`, `=` or nothing.
    package var sign: String {
        switch self {
        case .best: "●"
        case .tied: "="
        case .worse: ""
        }
    }

    /// What the signs mean.
    package static let legend = "● best, = can't be told from the best, the rest is worse"
}

/// Which strategies of a scenario are best, can't be told from the best, or are worse.
///
/// Each strategy is compared with the one that has the best median, by pairs: the trials of one repetition. Where both
/// took turns, the difference is the median over the slices that both have; else it is that of the two figures. A strategy
/// is worse when two intervals of the difference both exceed the smallest difference worth reporting:
///
/// - Student's interval of the pairs alone, at 99 %. It keeps a quiet table from accusing its one noisy strategy.
/// - The interval of the residual scatter of the whole table, after the means of strategies and repetitions are removed. Its
///   error of 5 % is divided between all pairs of strategies and the looks of a run that stops early. It needs few
///   repetitions.
///
/// The simulations of `RanksTests` call any of 2 to 25 equal strategies worse in at most 5 % of tables, also in runs that
/// look after each repetition; in at most 8 % where one strategy scatters ten times more than the others.
///
/// The second criterion compares those that are the same by the first. A strategy that lacks a figure in most repetitions is
/// worse than one that has it.
///
/// Sources: F. Yates, "Complex Experiments" (1935), for the scatter of randomised blocks; J. W. Tukey, "The Problem of
/// Multiple Comparisons" (1953), for all pairs.
struct Ranks {
    /// A strategy and its place.
    struct Entry {
        let summary: StrategySummary
        /// By all criteria.
        let verdict: RankVerdict
        /// By the first criterion alone.
        let firstVerdict: RankVerdict
    }

    /// In the order of the table: the best, those that are tied with it, then the rest, each by their medians.
    let entries: [Entry]
    /// Strategies without the first figure.
    let unmeasured: [StrategySummary]
    /// Whether more repetitions may tell more about who is best.
    let isOpen: Bool

    /// - Parameters:
    ///   - summaries: the strategies to rank.
    ///   - results: the rows of the scenario.
    init(_ summaries: [StrategySummary], results: [PhaseResult], criteria: [Criterion]) {
        let samples = Dictionary(grouping: results, by: \.trial.key.strategy).mapValues { rows in
            criteria.map { Samples(rows, $0) }
        }
        let known = summaries.filter { samples[$0.strategy]?.first?.median != nil }
        unmeasured = summaries.filter { samples[$0.strategy]?.first?.median == nil }
        let comparison = ComparisonWithBest(criteria: criteria, samples: samples, names: known.map(\.strategy))
        let (first, all) = comparison.relations()
        isOpen = all.values.contains(.open)
        entries = known.map { summary in
            Entry(
                summary: summary, verdict: all[summary.strategy]?.verdict ?? .tied,
                firstVerdict: first[summary.strategy]?.verdict ?? .tied)
        }.sorted { left, right in
            if (left.verdict == .worse) != (right.verdict == .worse) { return right.verdict == .worse }
            if (left.verdict == .best) != (right.verdict == .best) { return left.verdict == .best }
            return comparison.precedes(left.summary.strategy, right.summary.strategy)
        }
    }
}

/// The samples of a strategy for one criterion.
private struct Samples {
    /// The figure of each repetition that completed and has it.
    private(set) var repetitions: [Int: Double] = [:]
    /// The figure of each slice, by repetition and by the number of the slice.
    private(set) var slices: [Int: [UInt64: Double]] = [:]
    /// `nil` where most repetitions lack the figure.
    let median: Double?

    init(_ rows: [PhaseResult], _ criterion: Criterion) {
        let sound = rows.soundRepetitions
        for phases in sound {
            guard let value = criterion.value(phases), value.isFinite else { continue }
            let repetition = phases[0].trial.key.repetition
            repetitions[repetition] = value
            let sliced = criterion.ofSlices(phases)
            if !sliced.isEmpty { slices[repetition] = sliced }
        }
        median = repetitions.count * 2 > sound.count ? repetitions.values.median : nil
    }

    /// The figures of the repetitions that both have, in order.
    func pairs(with other: Samples) -> [Pair] {
        repetitions.keys.sorted().compactMap { repetition in
            guard let own = repetitions[repetition], let others = other.repetitions[repetition] else { return nil }
            let (slices, otherSlices) = (self.slices[repetition] ?? [:], other.slices[repetition] ?? [:])
            return Pair(
                own: own, other: others,
                slices: slices.compactMap { number, own in otherSlices[number].map { (own, $0) } })
        }
    }

    /// The figures of two strategies in one repetition.
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
private struct ComparisonWithBest {
    let criteria: [Criterion]
    let samples: [String: [Samples]]
    let names: [String]

    /// How a strategy compares with the best one.
    enum Relation {
        case best
        /// It surely differs by less than the smallest difference.
        case same
        case open, worse

        var verdict: RankVerdict {
            switch self {
            case .best: .best
            case .same, .open: .tied
            case .worse: .worse
            }
        }
    }

    private func samples(of name: String, _ criterion: Int) -> Samples? {
        guard let all = samples[name], all.indices.contains(criterion) else { return nil }
        return all[criterion]
    }

    /// Orders by the medians of the criteria, the first one before the second, then by name.
    func precedes(_ left: String, _ right: String) -> Bool {
        for (index, criterion) in criteria.enumerated() {
            let (first, second) = (samples(of: left, index)?.median, samples(of: right, index)?.median)
            guard first != second else { continue }
            guard let first, let second else { return first != nil }
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

    /// The relations by the first criterion, and by all.
    func relations() -> (first: [String: Relation], all: [String: Relation]) {
        guard let best = best(of: names, by: 0) else { return ([:], [:]) }
        let first = relations(of: names, best, 0)
        let equal = names.filter { first[$0] == .best || first[$0] == .same }
        guard criteria.count > 1, equal.count > 1, let second = self.best(of: equal, by: 1) else {
            return (first, first)
        }
        return (first, first.merging(relations(of: equal, second, 1)) { $1 })
    }

    private func relations(of names: [String], _ best: String, _ criterion: Int) -> [String: Relation] {
        Dictionary(names.map { ($0, $0 == best ? .best : relation(of: $0, beside: best, criterion)) }) { first, _ in
            first
        }
    }

    /// What the rounding of logarithms may add to a difference.
    private static let rounding = 1e-9

    /// The error of the interval of two strategies alone.
    private static let ownError = 0.01

    /// A run that looks after each repetition and stops at a decision errs more often than one that looks once.
    private static let looks = 4

    private func relation(of name: String, beside best: String, _ index: Int) -> Relation {
        guard let mine = samples(of: name, index), let other = samples(of: best, index) else { return .open }
        if mine.median == nil { return .worse }
        let criterion = criteria[index]
        let pairs = mine.pairs(with: other)
        guard pairs.count >= Shift.fewestPairs else { return .open }
        // A count that is equal in several workloads is the same; its samples have no noise.
        if criterion.metric.isCount, pairs.allSatisfy({ $0.own == $0.other }) { return .same }
        let scale = ComparisonScale([pairs.map(\.own), pairs.map(\.other)], criterion.smallest)
        let sign = criterion.metric.higherIsBetter ? -1.0 : 1
        let behind = pairs.map { sign * $0.difference(scale) }
        guard let middle = Shift(differences: behind)?.estimate else { return .open }
        // A figure in steps of the clock may lie on the margin.
        let margin = scale.margin + Self.rounding
        let own = Self.reach(of: behind)
        // Such as medians in the same step of the clock.
        if own == 0, middle.magnitude <= margin { return .same }
        let reach = max(own, tableReach(index, isRatio: scale.isRatio, margin: margin, pairs: behind.count))
        return switch ((middle - reach)...(middle + reach)).position(from: -margin, to: margin) {
        case .above: .worse
        case .within: .same
        case .below, .open: .open
        }
    }

    /// Half of Student's interval of some differences; 0 where they don't scatter.
    private static func reach(of differences: [Double]) -> Double {
        guard let low = differences.min(), let high = differences.max(), high - low > rounding,
            let interval = Shift(differences: differences)?.interval(error: ownError)
        else { return 0 }
        return (interval.upperBound - interval.lowerBound) / 2
    }

    /// Half of the interval of a difference between two strategies, by the scatter of the whole table. Where nothing scatters,
    /// the deviation is the margin: a few equal figures don't show that there is no scatter.
    private func tableReach(_ criterion: Int, isRatio: Bool, margin: Double, pairs: Int) -> Double {
        let rows = names.compactMap { samples(of: $0, criterion) }.filter { $0.median != nil }.map(\.repetitions)
        guard let first = rows.first else { return .infinity }
        let common = rows.dropFirst().reduce(Set(first.keys)) { $0.intersection($1.keys) }.sorted()
        let figures = rows.map { row in
            common.compactMap { row[$0] }.map { isRatio ? log(max($0, .leastNormalMagnitude)) : $0 }
        }
        let (strategies, repetitions) = (Double(rows.count), Double(common.count))
        guard strategies > 1, repetitions > 1 else { return .infinity }
        let ofRows = figures.map { $0.reduce(0, +) / repetitions }
        let ofColumns = common.indices.map { column in figures.reduce(0) { $0 + $1[column] } / strategies }
        let mean = ofRows.reduce(0, +) / strategies
        let squares = zip(figures, ofRows).reduce(0) { sum, row in
            zip(row.0, ofColumns).reduce(sum) { $0 + ($1.0 - row.1 - $1.1 + mean) * ($1.0 - row.1 - $1.1 + mean) }
        }
        let freedom = (rows.count - 1) * (common.count - 1)
        let deviation = (squares / Double(freedom)).squareRoot()
        let comparisons = rows.count * (rows.count - 1) / 2 * criteria.count * Self.looks
        let student = StudentDistribution(degreesOfFreedom: freedom).quantile(
            exceededBy: ErrorSpending.each(of: comparisons))
        return student * (deviation > Self.rounding ? deviation : margin) * (2 / Double(pairs)).squareRoot()
    }
}
