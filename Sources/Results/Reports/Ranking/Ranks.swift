import Foundation
import Statistics
import TrialModel

/// How a strategy compares with the best one of its scenario.
package enum RankVerdict: String, Sendable, Hashable {
    /// It has the best figure.
    case best
    /// It can't be told apart from the best.
    case tied
    /// It is worse than the best.
    case worse
    /// Fewer than three repetitions tell nothing apart.
    case inconclusive

    /// The sign before its figure: `●`, `=` or nothing.
    package var sign: String {
        switch self {
        case .best: "●"
        case .tied: "="
        case .worse, .inconclusive: ""
        }
    }

    /// What the signs mean.
    package static let legend = "● best, = can't be told apart from the best, the rest is worse"

    /// Why nothing is told apart.
    static let fewRepetitions = "fewer than three repetitions tell nothing apart"
}

/// Which strategies of a scenario are best, can't be told apart from the best, or are worse.
///
/// Each strategy is compared with the one that has the best median, by pairs: the trials of one repetition. Where both
/// took turns, the difference is the median over the slices that both have; else it is that of the two figures. The
/// ``Judge`` answers, by the scatter of the pairs and of the whole table; its error is divided between all pairs of
/// strategies and the looks of a run that stops early.
///
/// The second criterion compares those that are the same by the first. A strategy that lacks a figure in most repetitions is
/// worse than one that has it.
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
        isOpen = all.values.contains { $0 == .open || $0 == .few }
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
        /// There are too few pairs for a judgement.
        case few

        var verdict: RankVerdict {
            switch self {
            case .best: .best
            case .same, .open: .tied
            case .worse: .worse
            case .few: .inconclusive
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

    /// A run that looks after each repetition and stops at a decision errs more often than one that looks once.
    private static let looks = 4

    private func relation(of name: String, beside best: String, _ index: Int) -> Relation {
        guard let mine = samples(of: name, index), let other = samples(of: best, index) else { return .open }
        if mine.median == nil { return .worse }
        let criterion = criteria[index]
        let pairs = mine.pairs(with: other)
        if hasFewRepetitions(index) { return .few }
        // A count that is equal in several workloads is the same; its samples have no noise.
        if criterion.metric.isCount, pairs.count >= Shift.fewestPairs, pairs.allSatisfy({ $0.own == $0.other }) {
            return .same
        }
        let scale = ComparisonScale([pairs.map(\.own), pairs.map(\.other)], criterion.smallest)
        let (rows, places) = table(of: index)
        let judge = Judge(margin: scale.margin, higherIsBetter: criterion.metric.higherIsBetter)
        let finding = judge.finding(
            differences: pairs.map { $0.difference(scale) },
            scatter: BlockScatter(rows.map { $0.map { scale.isRatio ? log(max($0, .leastNormalMagnitude)) : $0 } }),
            of: places[name] ?? 0, beside: places[best] ?? 0,
            comparisons: rows.count * (rows.count - 1) / 2 * criteria.count * Self.looks)
        return switch finding.verdict {
        case .worse: .worse
        case .same: .same
        case .better, .inconclusive: .open
        }
    }

    /// Whether no strategy has its figure in three repetitions.
    private func hasFewRepetitions(_ criterion: Int) -> Bool {
        names.allSatisfy { samples(of: $0, criterion)?.repetitions.count ?? 0 < Shift.fewestPairs }
    }

    /// The figures of all strategies that have them, in the repetitions that they have in common, and their places.
    private func table(of criterion: Int) -> (rows: [[Double]], places: [String: Int]) {
        let known = names.filter { samples(of: $0, criterion)?.median != nil }
        let rows = known.compactMap { samples(of: $0, criterion)?.repetitions }
        guard let first = rows.first else { return ([], [:]) }
        let common = rows.dropFirst().reduce(Set(first.keys)) { $0.intersection($1.keys) }.sorted()
        let places = Dictionary(zip(known, known.indices)) { first, _ in first }
        return (rows.map { row in common.compactMap { row[$0] } }, places)
    }
}
