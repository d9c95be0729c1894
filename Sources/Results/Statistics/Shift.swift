import TrialModel

/// The shift of a candidate's samples against a baseline's.
///
/// **Pairs**, such as the trials of one round: the trimmed mean of the differences, with Student's interval. Rounds are
/// assumed to be independent, and their differences nearly normal, so that a handful of them decides. Differences without
/// scatter are not normal: figures in steps are equal by chance. The sign test decides there: if the true shift were on
/// the other side of a limit, n pairs would agree by chance with a probability of 1/2ⁿ.
///
/// **Unpaired samples**, such as those of two folders: the Hodges–Lehmann estimate, which is the median of all
/// differences between the two sides, and the shifts that the test of Mann and Whitney does not reject, without
/// assumptions about the form of the noise. It is assumed that all samples are independent, and that the sides differ by
/// a shift alone: if one side scatters more, the estimate is the shift of neither its mean nor its median. Ties count
/// against a difference.
///
/// **An exact difference** of figures without noise is its own interval, at any error.
///
/// Source: J. L. Hodges and E. L. Lehmann, "Estimates of Location Based on Rank Tests" (1963).
package struct Shift: Sendable {
    private enum Method {
        /// All differences, in ascending order.
        case ranks([Double], RankDistribution)
        case mean(TrimmedMean)
        /// The differences of pairs, in ascending order.
        case signs([Double], RankDistribution)
        case exact(Double)
    }

    private let method: Method

    /// The fewest pairs that show how much they scatter.
    package static let fewestPairs = 3
    /// What the rounding of numbers may add to a difference.
    package static let rounding = 1e-9

    /// Creates the shift of unpaired samples; both sides need at least one.
    package init(baseline: [Double], candidate: [Double], cache: inout RankDistributions) {
        method = .ranks(
            candidate.flatMap { value in baseline.map { value - $0 } }.sorted(),
            cache.mannWhitney(candidate.count, baseline.count))
    }

    /// Creates the shift of pairs from their differences; `nil` with fewer than ``fewestPairs``.
    package init?(differences: [Double]) {
        guard differences.count >= Self.fewestPairs else { return nil }
        let mean = TrimmedMean(differences)
        method = mean.scatters ? .mean(mean) : .signs(differences.sorted(), .signs(differences.count))
    }

    /// Creates the shift of figures that repeat exactly.
    package init(exactly difference: Double) { method = .exact(difference) }

    /// The most likely shift.
    package var estimate: Double {
        switch method {
        case .ranks(let differences, _), .signs(let differences, _): differences.median ?? .nan
        case .mean(let mean): mean.mean
        case .exact(let difference): difference
        }
    }

    /// Whether pairs differ from each other, but for those that are trimmed.
    var scatters: Bool { if case .mean = method { true } else { false } }

    /// The confidence interval of the shift at the level `1 - error`; `nil` with too few samples.
    package func interval(error: Double) -> ClosedRange<Double>? {
        switch method {
        case .ranks(let differences, let distribution), .signs(let differences, let distribution):
            let tail = distribution.tail(within: error / 2)
            guard tail >= 1, tail <= differences.count - tail + 1 else { return nil }
            return differences[tail - 1]...differences[differences.count - tail]
        case .mean(let mean):
            let reach = mean.reach(of: mean.count, error: error)
            return (mean.mean - reach)...(mean.mean + reach)
        case .exact(let difference): return difference...difference
        }
    }

    /// The probability of such samples, or more extreme ones, if the shift were `limit` or less.
    package func probability(ofAtMost limit: Double) -> Double {
        switch method {
        case .ranks(let differences, let distribution), .signs(let differences, let distribution):
            distribution.probability(atMost: differences.count { $0 <= limit })
        case .mean(let mean): mean.probability(beyond: mean.mean - limit)
        case .exact(let difference): difference > limit ? 0 : 1
        }
    }

    /// The probability of such samples, or more extreme ones, if the shift were `limit` or more.
    package func probability(ofAtLeast limit: Double) -> Double {
        switch method {
        case .ranks(let differences, let distribution), .signs(let differences, let distribution):
            distribution.probability(atMost: differences.count { $0 >= limit })
        case .mean(let mean): mean.probability(beyond: limit - mean.mean)
        case .exact(let difference): difference < limit ? 0 : 1
        }
    }

    /// The fewest repetitions of such samples that can reach an error; 100 if even more are needed.
    package func repetitions(reaching error: Double) -> Int {
        switch method {
        case .ranks: RankDistributions.repetitions(reaching: error)
        case .mean: Self.fewestPairs
        case .signs: (1..<100).partitioningIndex { 2 * RankDistribution.signs($0).probability(atMost: 0) <= error }
        case .exact: 1
        }
    }

    /// How many pairs an interval with a half width of at most `wanted` needs, with the same scatter; `nil` when twenty
    /// times as many are not enough, and for other samples than pairs.
    package func pairs(forReach wanted: Double, error: (_ pairs: Int) -> Double) -> Int? {
        guard wanted > 0, let count = pairCount else { return nil }
        var pairs = count
        while pairs <= 20 * count {
            if reach(of: pairs, error: error(pairs)) <= wanted { return pairs }
            pairs += max(1, pairs / 10)
        }
        return nil
    }

    private var pairCount: Int? {
        switch method {
        case .mean(let mean): mean.count
        case .signs(let differences, _): differences.count
        case .ranks, .exact: nil
        }
    }

    /// The half width of the interval of `pairs` pairs with the same scatter.
    private func reach(of pairs: Int, error: Double) -> Double {
        switch method {
        case .mean(let mean): mean.reach(of: pairs, error: error)
        case .ranks, .signs, .exact: repetitions(reaching: error) <= pairs ? 0 : .infinity
        }
    }

    /// Where a shift lies relative to a band.
    package enum Position: Sendable {
        case above, below, within
        /// The interval holds an end of the band.
        case open
    }
}

extension ClosedRange<Double> {
    /// Where a shift with this interval lies relative to a band.
    package func position(from low: Double, to high: Double) -> Shift.Position {
        if lowerBound > high { return .above }
        if upperBound < low { return .below }
        return lowerBound >= low && upperBound <= high ? .within : .open
    }
}

/// The mean of the differences of pairs with its standard error.
///
/// A pair's difference is often a median over many slices, so pairs are nearly normally distributed. Therefore five of
/// them are enough where a rank test needs a dozen. On a busy machine one round in ten is an outlier, so from ten pairs on
/// a tenth is trimmed at each end.
///
/// Sources: Student, "The Probable Error of a Mean" (1908); J. W. Tukey and D. H. McLaughlin, "Less Vulnerable
/// Confidence and Significance Procedures for Location Based on a Single Sample: Trimming/Winsorization 1" (1963).
private struct TrimmedMean {
    let mean: Double
    let count: Int
    /// Whether the differences that are not trimmed differ from each other.
    let scatters: Bool
    /// From the winsorized variance.
    private let standardError: Double

    init(_ differences: [Double]) {
        count = differences.count
        let trimmed = differences.count / 10
        let sorted = differences.sorted()
        let kept = sorted[trimmed..<(sorted.count - trimmed)]
        mean = kept.reduce(0, +) / Double(kept.count)
        scatters = sorted[sorted.count - 1 - trimmed] - sorted[trimmed] > Shift.rounding
        let winsorized = sorted.map { min(max($0, sorted[trimmed]), sorted[sorted.count - 1 - trimmed]) }
        let center = winsorized.reduce(0, +) / Double(sorted.count)
        let squares = winsorized.reduce(0) { $0 + ($1 - center) * ($1 - center) }
        let deviation = (squares / Double(sorted.count - 1)).squareRoot()
        standardError = deviation * Double(sorted.count).squareRoot() / Double(kept.count)
    }

    private static func student(_ count: Int) -> StudentDistribution {
        StudentDistribution(degreesOfFreedom: count - 2 * (count / 10) - 1)
    }

    /// The half width of the interval of `pairs` pairs with the same scatter.
    func reach(of pairs: Int, error: Double) -> Double {
        Self.student(pairs).quantile(exceededBy: error) * standardError * (Double(count) / Double(pairs)).squareRoot()
    }

    /// The probability of a mean at least this far beyond the true one.
    func probability(beyond distance: Double) -> Double {
        let beyond = Self.student(count).probability(beyond: (distance / standardError).magnitude)
        return distance > 0 ? beyond / 2 : 1 - beyond / 2
    }
}
