import Foundation
import Reports
import Statistics
package import TrialModel

/// Turns samples into verdicts.
///
/// A verdict follows from one confidence interval, at the error that remains after correction for multiple comparisons:
/// `worse` and `better` when the whole interval lies beyond the smallest difference, `same` when the whole interval
/// lies within it, otherwise `inconclusive`. A noisy machine therefore makes intervals wide and verdicts inconclusive,
/// but not wrong.
///
/// Holm's correction covers `worse` and `better`: with probability `1 - error` none of them is false. `same` is a claim
/// about each figure alone; a sequential comparison makes it with the whole error.
///
/// Between two result folders the machine may have changed too, and no statistics of one folder show that. The bounds
/// do: a strategy must move further than a bound moved, by the smallest difference, before it is called different.
package struct Judgement: Sendable {
    let settings: ComparisonSettings

    package init(_ settings: ComparisonSettings) {
        self.settings = settings
    }

    /// A pair that is being judged.
    struct Case {
        var pair: SamplePair
        var scale: ComparisonScale
        var shift: Shift?
        /// One difference per pair, in order, in a sequential comparison.
        var differences: [Double] = []
        /// The differences of entire rounds, when ``differences`` are medians of slices.
        var wholeDifferences: [Double] = []
        /// How far the machine moved, upwards and downwards.
        var drift: (up: Double, down: Double) = (0, 0)

        var upper: Double { scale.margin + drift.up }
        var lower: Double { -scale.margin - drift.down }

        /// The two-sided probability of such samples without a difference worth reporting.
        var probability: Double? {
            shift.map { 2 * min($0.probability(ofAtMost: upper), $0.probability(ofAtLeast: lower)) }
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
        let needed = RankDistributions.repetitions(reaching: hardest)
        // By the union bound, so that a figure's verdict stays final while others continue.
        let each = ErrorSpending.each(of: cases.count, total: settings.error)
        return cases.map {
            settings.isSequential ? sequentialRow($0, error: each) : row($0, error: error, needed: needed)
        }
    }

    /// Whether repetitions with the same number are compared with each other.
    private func isPaired(_ pair: SamplePair) -> Bool { settings.isPaired || pair.hasSameOperations }

    private func makeCase(_ pair: SamplePair, _ cache: inout RankDistributions) -> Case {
        let smallest = settings.smallestDifference(pair.metric, in: pair.key.scenario)
        var item = Case(pair: pair, scale: ComparisonScale(pair, smallest))
        guard !pair.isOfAnotherSeed, pair.exact == nil, !pair.baseline.isEmpty, !pair.candidate.isEmpty else {
            return item
        }
        if isPaired(pair) {
            let whole = pair.common.compactMap { repetition -> Double? in
                guard let before = pair.baseline[repetition], let after = pair.candidate[repetition] else { return nil }
                return item.scale.judged(after) - item.scale.judged(before)
            }
            let sliced = item.scale.isRatio ? pair.common.compactMap { pair.sliceDifferences[$0] } : []
            let differences = sliced.isEmpty ? whole : sliced
            if settings.isSequential {
                item.differences = differences
                item.wholeDifferences = sliced.isEmpty ? [] : whole
            } else {
                item.shift = Shift(differences: differences)
            }
        } else {
            let sides = pair.balanced
            item.shift = Shift(
                baseline: sides.baseline.map(item.scale.judged), candidate: sides.candidate.map(item.scale.judged),
                cache: &cache)
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
            cases[index].drift = drifts[place(cases[index].pair)] ?? (0, 0)
        }
    }

    func row(_ item: Case, error: Double, needed: Int) -> ComparisonRow {
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
        if pair.isOfAnotherSeed {
            row.reason = "different seeds: the two sides had different operations"
        } else if let exact = pair.exact {
            let shift = item.scale.judged(exact.candidate) - item.scale.judged(exact.baseline)
            row.show(shift, shift...shift, on: item.scale)
            row.judgeExactly(shift, margin: item.scale.margin, metric: pair.metric)
        } else if let shift = item.shift {
            row.show(shift.estimate, shift.interval(error: error), on: item.scale)
            judge(&row, item, shift.interval(error: error), error: error, needed: needed)
        } else {
            row.reason = isPaired(pair) && !pair.common.isEmpty ? tooFew(pair, needed) : Self.missing(pair)
        }
        return row
    }

    func judge(
        _ row: inout ComparisonRow, _ item: Case, _ interval: ClosedRange<Double>?, error: Double, needed: Int
    ) {
        guard let interval else {
            row.reason = tooFew(item.pair, needed)
            return
        }
        row.confidence = 1 - error
        let margin = item.scale.margin
        let position = interval.position(from: item.lower, to: item.upper)
        if position == .above || position == .below {
            row.verdict = (position == .above) == item.pair.metric.higherIsBetter ? .better : .worse
        } else if interval.position(from: item.drift.up - margin, to: margin - item.drift.down) == .within {
            // The interval must also lie within after the machine's drift is removed: a faster machine must not hide a
            // slower strategy.
            row.verdict = .same
        } else if interval.position(from: -margin, to: margin) != .open {
            row.reason = "a bound moved as well, so the machine changed"
        } else {
            row.reason = "the interval holds the smallest difference"
        }
    }

    private func tooFew(_ pair: SamplePair, _ needed: Int) -> String {
        let needed = isPaired(pair) ? Shift.fewestPairs : needed
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
    /// Figures that repeat exactly need no interval. Counted instructions repeat except for a little work of the runtime,
    /// which the smallest difference covers; nothing is known about how likely more of it is.
    fileprivate mutating func judgeExactly(_ difference: Double, margin: Double, metric: Metric) {
        confidence = metric.nature == .code ? nil : 1
        if difference.magnitude <= margin {
            verdict = .same
            if difference != 0 { reason = "not equal, but by less than the smallest difference" }
        } else {
            verdict = (difference > 0) == metric.higherIsBetter ? .better : .worse
        }
    }

    mutating func show(
        _ estimate: Double, _ interval: ClosedRange<Double>?, on scale: ComparisonScale
    ) {
        let ends = (interval.map { scale.shown($0.lowerBound) }, interval.map { scale.shown($0.upperBound) })
        if scale.isRatio {
            (ratio, ratioLow, ratioHigh) = (scale.shown(estimate), ends.0, ends.1)
        } else {
            (difference, differenceLow, differenceHigh) = (scale.shown(estimate), ends.0, ends.1)
        }
    }
}

/// Verdicts of a sequential comparison, which continues until it is decided.
extension Judgement {
    /// The row of a figure: the verdict of the first look that has one, so that a decision is final.
    ///
    /// - Parameter error: the error of this figure over all looks.
    func sequentialRow(_ item: Case, error: Double) -> ComparisonRow {
        var row = row(item, error: error, needed: 0)
        guard !item.pair.isOfAnotherSeed, item.pair.exact == nil else { return row }
        let looks = ErrorSpending.rounds(upTo: item.differences.count)
        guard let last = looks.last else {
            if item.pair.baseline.isEmpty || item.pair.candidate.isEmpty {
                row.goesOn = false
            } else {
                row.lacksRounds = true
                row.reason = "\(item.differences.count) rounds; \(ErrorSpending.fewest) are the fewest"
            }
            return row
        }
        for rounds in looks {
            row.reason = ""
            judge(&row, item, rounds: rounds, error: error)
            if row.verdict != .inconclusive { return row }
        }
        sayWhatDecides(&row, item, rounds: last, error: error)
        return row
    }

    /// Judges a figure by its first `rounds` rounds.
    private func judge(_ row: inout ComparisonRow, _ item: Case, rounds: Int, error: Double) {
        let spent = error / parts(item) * ErrorSpending.share(ofError: rounds)
        if parts(item) > 1, item.wholeDifferences.count >= rounds,
            let whole = Shift(differences: Array(item.wholeDifferences.prefix(rounds))),
            let interval = whole.interval(error: spent), interval.upperBound < item.lower
        {
            row.show(whole.estimate, interval, on: item.scale)
            row.confidence = 1 - spent
            row.verdict = .worse
            row.reason = "by whole rounds"
            return
        }
        guard let mean = Shift(differences: Array(item.differences.prefix(rounds))) else { return }
        let interval = mean.interval(error: spent)
        row.show(mean.estimate, interval, on: item.scale)
        // A figure per round may jump between two ticks of the clock, and five equal jumps can be chance.
        guard !item.wholeDifferences.isEmpty || 2 * pow(0.25, Double(rounds)) <= spent else {
            row.confidence = 1 - spent
            row.reason = "too few rounds for so many figures"
            return
        }
        judge(&row, item, interval, error: spent, needed: 0)
        let own = ownError(rounds)
        guard row.verdict == .inconclusive,
            mean.position(from: -item.scale.margin, to: item.scale.margin, error: own) == .within
        else { return }
        row.show(mean.estimate, mean.interval(error: 2 * own), on: item.scale)
        (row.verdict, row.confidence, row.reason) = (.same, 1 - 2 * own, "")
    }

    /// The error that the look after `rounds` rounds may spend on `same`, a claim about one figure: it needs no correction
    /// for the others. Two one-sided tests (D. J. Schuirmann, "A Comparison of the Two One-Sided Tests Procedure and the
    /// Power Approach for Assessing the Equivalence of Average Bioavailability", 1987).
    private func ownError(_ rounds: Int) -> Double { settings.error * ErrorSpending.share(ofError: rounds) }

    /// The number of intervals that a figure is judged by. An effect on fewer than half of the slices shows only in
    /// entire rounds, so throughput is judged by both.
    private func parts(_ item: Case) -> Double {
        item.pair.metric == .throughput && !item.wholeDifferences.isEmpty ? 2 : 1
    }

    /// Explains what would decide an undecided figure.
    private func sayWhatDecides(_ row: inout ComparisonRow, _ item: Case, rounds: Int, error: Double) {
        guard let mean = Shift(differences: Array(item.differences.prefix(rounds))) else { return }
        let gap = (mean.estimate.magnitude - item.scale.margin).magnitude
        let isWithin = mean.estimate.magnitude < item.scale.margin
        let needed = mean.pairs(forReach: gap) { rounds in
            isWithin ? 2 * ownError(rounds) : error / parts(item) * ErrorSpending.share(ofError: rounds)
        }
        guard let needed else {
            row.goesOn = rounds < Self.roundsOfPatience
            row.reason =
                "it is too close to the smallest difference, or scatters too much, to be decided in reasonable time"
            return
        }
        let more = max(1, needed - item.differences.count)
        let seconds = settings.secondsPerRound.map { " (\(Int(min(1e6, $0 * Double(more)).rounded(.up))) s)" } ?? ""
        row.reason = "about \(more) more rounds\(seconds) would decide it"
    }

    /// The number of rounds after which it is clear whether a figure can be decided.
    private static var roundsOfPatience: Int { 40 }
}
