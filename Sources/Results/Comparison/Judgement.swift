import Foundation
import Reports
import Statistics
package import TrialModel

/// The verdicts of a comparison: the samples of each figure go to the ``Judge``.
///
/// **What holds.** Holm's correction covers `worse` and `better`: with probability `1 - error` none of them is false.
/// `same` is a claim about each figure alone; a sequential comparison makes it with the whole error. With Benjamini and
/// Hochberg's correction that holds for equal strategies: at most 5 % of tables have any false `worse`. Where strategies
/// differ, at most a twentieth of the verdicts of a table are false on average, and more tables have one: where half of
/// the strategies differ by 30 %, 9 % of tables of ten and 14 % of tables of 25 have a false `worse`.
///
/// Between two result folders the machine may have changed too, and no statistics of one folder show that. The bounds
/// do: a strategy must move further than a bound moved, by the smallest difference, before it is called different.
package struct Judgement: Sendable {
    let settings: ComparisonSettings

    package init(_ settings: ComparisonSettings) {
        self.settings = settings
    }

    /// A pair that is being judged.
    private struct Case {
        var pair: SamplePair
        var scale: ComparisonScale
        var judge: Judge
        /// `nil` with too few samples.
        var shift: Shift?
        /// The shift of whole rounds, where ``shift`` is of slices.
        var wholes: Shift?
        /// The difference of each pair, in order.
        var differences: [Double] = []
        /// The differences of whole rounds, where ``differences`` are medians of slices and whole rounds count.
        var wholeDifferences: [Double] = []
        /// Whether ``differences`` are medians of slices.
        var isSliced = false

        var isExact: Bool { pair.exact != nil }

        /// The two-sided probability of such samples without a difference worth reporting; `nil` without noise.
        var probability: Double? { isExact ? nil : shift.map { judge.probability($0, wholes: wholes) } }

        /// Keeps the first pairs.
        mutating func take(first count: Int) {
            shift = Shift(differences: Array(differences.prefix(count)))
            wholes = Shift(differences: Array(wholeDifferences.prefix(count)))
        }
    }

    /// The rows of all pairs, in order, corrected together.
    package func rows(_ pairs: [SamplePair]) -> [ComparisonRow] {
        var cache = RankDistributions()
        var cases = pairs.map { makeCase($0, &cache) }
        noteDrift(&cases)
        let probabilities = cases.compactMap(\.probability)
        let error = settings.correction.error(ofEach: probabilities, together: settings.error)
        let hardest = ErrorSpending.each(of: probabilities.count, total: settings.error)
        // By the union bound, so that a figure's verdict stays final while others continue.
        let each = ErrorSpending.each(of: cases.count, total: settings.error)
        return cases.map { item in
            var row = emptyRow(item)
            if item.pair.isOfAnotherSeed {
                row.reason = "different seeds: the two sides had different operations"
            } else if settings.isSequential, !item.isExact {
                judgeByLooks(&row, item, error: each)
            } else if let shift = item.shift {
                row.take(item.judge.finding(shift, wholes: item.wholes, error: error), item.scale)
                if row.verdict == .inconclusive, row.confidence == nil {
                    row.reason = tooFew(item.pair, shift.repetitions(reaching: hardest))
                }
                if item.isExact { row.noteExact(item.pair.metric) }
            } else {
                row.reason =
                    isPaired(item.pair) && !item.pair.common.isEmpty
                    ? tooFew(item.pair, Shift.fewestPairs) : Self.missing(item.pair)
            }
            return row
        }
    }

    /// Whether repetitions with the same number are compared with each other.
    private func isPaired(_ pair: SamplePair) -> Bool { settings.isPaired || pair.hasSameOperations }

    private func makeCase(_ pair: SamplePair, _ cache: inout RankDistributions) -> Case {
        let scale = ComparisonScale(pair, settings.smallestDifference(pair.metric, in: pair.key.scenario))
        var item = Case(
            pair: pair, scale: scale, judge: Judge(margin: scale.margin, higherIsBetter: pair.metric.higherIsBetter))
        guard !pair.isOfAnotherSeed else { return item }
        if let exact = pair.exact {
            item.shift = Shift(exactly: scale.judged(exact.candidate) - scale.judged(exact.baseline))
        } else if isPaired(pair) {
            let whole = pair.common.compactMap { repetition -> Double? in
                guard let before = pair.baseline[repetition], let after = pair.candidate[repetition] else { return nil }
                return scale.judged(after) - scale.judged(before)
            }
            let sliced = scale.isRatio ? pair.common.compactMap { pair.sliceDifferences[$0] } : []
            item.isSliced = !sliced.isEmpty
            item.differences = item.isSliced ? sliced : whole
            // An effect on fewer than half of the slices shows only in whole rounds.
            item.wholeDifferences = item.isSliced && pair.metric == .throughput ? whole : []
            item.take(first: item.differences.count)
        } else if !pair.baseline.isEmpty, !pair.candidate.isEmpty {
            let sides = pair.balanced
            item.shift = Shift(
                baseline: sides.baseline.map(scale.judged), candidate: sides.candidate.map(scale.judged), cache: &cache)
        }
        return item
    }

    /// Interleaved repetitions run under the same machine conditions and need no drift.
    private func noteDrift(_ cases: inout [Case]) {
        guard !settings.isPaired else { return }
        func place(_ pair: SamplePair) -> FigureKey { FigureKey(phase: pair.key.ofScenario, metric: pair.metric) }
        var drifts: [FigureKey: (up: Double, down: Double)] = [:]
        for item in cases where item.pair.metric.isTime && settings.bounds.contains(item.pair.key.strategy) {
            guard let shift = item.shift?.estimate, item.scale.isRatio else { continue }
            let known = drifts[place(item.pair)] ?? (0, 0)
            drifts[place(item.pair)] = (max(known.up, shift), max(known.down, -shift))
        }
        for index in cases.indices where !settings.bounds.contains(cases[index].pair.key.strategy) {
            cases[index].judge.drift = drifts[place(cases[index].pair)] ?? (0, 0)
        }
    }

    private func emptyRow(_ item: Case) -> ComparisonRow {
        let pair = item.pair
        var row = ComparisonRow(
            scenario: pair.key.scenario, strategy: pair.key.strategy, baselineStrategy: pair.baselineStrategy,
            phase: pair.key.phase, metric: pair.metric.rawValue, unit: pair.metric.unit,
            baseline: pair.baseline.values.median, candidate: pair.candidate.values.median)
        row.smallestDifference = item.scale.shownMargin
        row.baselineRepetitions = UInt64(pair.baseline.count)
        row.candidateRepetitions = UInt64(pair.candidate.count)
        if settings.isPaired, pair.sliceCount > 0 {
            row.sampledIn = .slices
            row.slices = UInt64(pair.sliceCount)
        }
        return row
    }

    private func tooFew(_ pair: SamplePair, _ needed: Int) -> String {
        let count = isPaired(pair) ? "\(pair.common.count)" : "\(pair.baseline.count) and \(pair.candidate.count)"
        return "too few repetitions (\(count)); "
            + (needed < 100 ? "\(needed) of each are enough" : "compare fewer metrics or strategies at once")
    }

    private static func missing(_ pair: SamplePair) -> String {
        switch (pair.baseline.isEmpty, pair.candidate.isEmpty) {
        case (true, true): "neither side measured it"
        case (true, false): "the baseline did not measure it"
        case (false, true): "the candidate did not measure it"
        case (false, false): "no repetition of both sides has the same number"
        }
    }
}

extension ComparisonRow {
    /// Takes over a finding.
    fileprivate mutating func take(_ finding: Finding, _ scale: ComparisonScale) {
        verdict = finding.verdict
        confidence = finding.interval == nil ? nil : finding.confidence
        reason =
            switch finding.remark {
            case nil, .tooFew: ""
            case .holdsMargin: "the interval holds the smallest difference"
            case .driftDecides: "a baseline strategy moved as well, so the machine changed"
            case .wholesDecide: "by whole blocks"
            case .wholesDisagree: "whole blocks may be worse than their slices"
            }
        let ends = finding.interval.map { (scale.shown($0.lowerBound), scale.shown($0.upperBound)) }
        if scale.isRatio {
            (ratio, ratioLow, ratioHigh) = (scale.shown(finding.estimate), ends?.0, ends?.1)
        } else {
            (difference, differenceLow, differenceHigh) = (scale.shown(finding.estimate), ends?.0, ends?.1)
        }
    }

    /// Figures that repeat exactly need no interval. Counted instructions repeat except for a little work of the runtime,
    /// which the smallest difference covers; nothing is known about how likely more of it is.
    fileprivate mutating func noteExact(_ metric: Metric) {
        confidence = metric.nature == .code ? nil : 1
        if verdict == .same, ratio ?? 1 != 1 || difference ?? 0 != 0 {
            reason = "not equal, but by less than the smallest difference"
        }
    }
}

/// Verdicts of a sequential comparison, which continues until it is decided.
extension Judgement {
    /// Judges a figure by the first look that has a verdict, so that a decision is final.
    ///
    /// - Parameter error: the error of this figure over all looks.
    private func judgeByLooks(_ row: inout ComparisonRow, _ item: Case, error: Double) {
        if item.pair.baseline.isEmpty || item.pair.candidate.isEmpty {
            row.reason = Self.missing(item.pair)
            row.goesOn = false
            return
        }
        var item = item
        let rounds = item.differences.count
        let looks = ErrorSpending.rounds(upTo: rounds)
        row.lacksRounds = looks.isEmpty
        row.reason = "\(rounds) paired blocks; \(ErrorSpending.fewest) are the fewest"
        for rounds in looks {
            item.take(first: rounds)
            guard let shift = item.shift else { return }
            let spent = error * ErrorSpending.share(ofError: rounds)
            let finding = item.judge.finding(
                shift, wholes: item.wholes, error: spent, errorOfSame: errorOfSame(rounds))
            row.take(finding, item.scale)
            // A figure per round may jump between two ticks of the clock, and five such jumps can be chance.
            if !item.isSliced, 2 * pow(0.25, Double(rounds)) > spent {
                row.verdict = .inconclusive
            }
            if row.verdict != .inconclusive { return }
            if rounds == looks.last { sayWhatDecides(&row, item, finding, shift, rounds: rounds, error: error) }
        }
    }

    /// The error that the look after `rounds` rounds may spend on `same`, a claim about one figure: it needs no correction
    /// for the others.
    private func errorOfSame(_ rounds: Int) -> Double { settings.error * ErrorSpending.share(ofError: rounds) }

    /// Explains what would decide an undecided figure.
    private func sayWhatDecides(
        _ row: inout ComparisonRow, _ item: Case, _ finding: Finding, _ shift: Shift, rounds: Int, error: Double
    ) {
        let isByWholes = finding.remark == .wholesDisagree
        let open = isByWholes ? item.wholes ?? shift : shift
        let gap = (open.estimate.magnitude - item.scale.margin).magnitude
        let isWithin = open.estimate.magnitude < item.scale.margin
        let needed = open.pairs(forReach: gap) { rounds in
            isWithin
                ? 2 * (isByWholes ? ErrorSpending.total : errorOfSame(rounds))
                : Judge.part(of: error * ErrorSpending.share(ofError: rounds), hasWholes: item.wholes != nil)
        }
        let remark = isByWholes ? row.reason + "; " : ""
        guard let needed else {
            row.goesOn = rounds < Self.roundsOfPatience
            row.reason =
                remark
                + "it is too close to the smallest difference, or scatters too much, for a verdict in reasonable time"
            return
        }
        let more = max(1, needed - item.differences.count)
        let seconds = settings.secondsPerRound.map { " (\(Int(min(1e6, $0 * Double(more)).rounded(.up))) s)" } ?? ""
        row.reason = remark + "about \(more) more paired blocks\(seconds) would decide it"
    }

    /// The number of rounds after which it is clear whether a figure can be decided.
    private static var roundsOfPatience: Int { 40 }
}
