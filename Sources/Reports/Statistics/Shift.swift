import TrialModel

/// The shift of a candidate's samples against a baseline's.
///
/// **Pairs**, such as the trials of one round: the mean of the differences with Student's interval, ``MeanShift``. Rounds
/// are assumed to be independent, and their differences nearly normal, so that a handful of them decides.
///
/// **Unpaired samples**, such as those of two folders: the Hodges–Lehmann estimate, which is the median of all
/// differences between the two sides, and the shifts that the test of Mann and Whitney does not reject, without
/// assumptions about the form of the noise. It is assumed that all samples are independent, and that the sides differ by
/// a shift alone: if one side scatters more, the estimate is the shift of neither its mean nor its median. Ties count
/// against a difference.
///
/// Source: J. L. Hodges and E. L. Lehmann, "Estimates of Location Based on Rank Tests" (1963).
package struct Shift: Sendable {
    private enum Method {
        /// All differences, in ascending order.
        case ranks([Double], RankDistribution)
        case mean(MeanShift)
    }

    private let method: Method

    /// The fewest pairs that show how much they scatter.
    package static let fewestPairs = 3

    /// Creates the shift of unpaired samples; both sides need at least one.
    package init(baseline: [Double], candidate: [Double], cache: inout RankDistributions) {
        method = .ranks(
            candidate.flatMap { value in baseline.map { value - $0 } }.sorted(),
            cache.mannWhitney(candidate.count, baseline.count))
    }

    /// Creates the shift of pairs from their differences; `nil` with fewer than ``fewestPairs``.
    package init?(differences: [Double]) {
        guard differences.count >= Self.fewestPairs, let shift = MeanShift(differences: differences) else { return nil }
        method = .mean(shift)
    }

    /// The most likely shift.
    package var estimate: Double {
        switch method {
        case .ranks(let differences, _): differences.median ?? .nan
        case .mean(let shift): shift.estimate
        }
    }

    /// The confidence interval of the shift at the level `1 - error`; `nil` with too few samples.
    package func interval(error: Double) -> ClosedRange<Double>? {
        switch method {
        case .ranks(let differences, let distribution):
            let tail = distribution.tail(within: error / 2)
            guard tail >= 1, tail <= differences.count - tail + 1 else { return nil }
            return differences[tail - 1]...differences[differences.count - tail]
        case .mean(let shift): return shift.interval(error: error)
        }
    }

    /// The probability of such samples, or more extreme ones, if the shift were `limit` or less.
    package func probability(ofAtMost limit: Double) -> Double {
        switch method {
        case .ranks(let differences, let distribution):
            distribution.probability(atMost: differences.count { $0 <= limit })
        case .mean(let shift): shift.probability(ofAtMost: limit)
        }
    }

    /// The probability of such samples, or more extreme ones, if the shift were `limit` or more.
    package func probability(ofAtLeast limit: Double) -> Double {
        switch method {
        case .ranks(let differences, let distribution):
            distribution.probability(atMost: differences.count { $0 >= limit })
        case .mean(let shift): shift.probability(ofAtLeast: limit)
        }
    }
}

/// A cache of computed distributions of Mann and Whitney's statistic.
package struct RankDistributions: Sendable {
    private struct Sizes: Hashable {
        var first: Int
        var second: Int
    }

    private var known: [Sizes: RankDistribution] = [:]

    package init() {}

    mutating func mannWhitney(_ first: Int, _ second: Int) -> RankDistribution {
        let sizes = Sizes(first: first, second: second)
        if let known = known[sizes] { return known }
        let distribution = RankDistribution.mannWhitney(first, second)
        known[sizes] = distribution
        return distribution
    }

    /// The fewest repetitions of each side that can reach an error; 100 if even more are needed.
    package static func repetitions(reaching error: Double) -> Int {
        // Exact: one of (2n choose n) ways to divide the samples.
        var lowest = 2.0
        for count in 1..<100 {
            let size = Double(count)
            lowest *= size / (2 * (2 * size - 1))
            if lowest <= error { return count }
        }
        return 100
    }
}
