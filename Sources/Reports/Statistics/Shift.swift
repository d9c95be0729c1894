import TrialModel

/// The shift of a candidate's samples against a baseline's: the Hodges–Lehmann estimate and its exact confidence
/// interval.
///
/// The estimate is the median of all differences between the two sides, or, for paired samples, of the averages of
/// every two differences. Its interval contains the shifts that the rank test (Mann–Whitney, or Wilcoxon's signed
/// ranks) does not reject, without assumptions about the distribution of the noise. Ties count against a difference.
///
/// Source: J. L. Hodges and E. L. Lehmann, "Estimates of Location Based on Rank Tests" (1963).
package struct Shift: Sendable {
    /// The differences, in ascending order.
    private let differences: [Double]
    private let distribution: RankDistribution

    /// Creates the shift of unpaired samples; both sides need at least one.
    package init(baseline: [Double], candidate: [Double], cache: inout RankDistributions) {
        differences = candidate.flatMap { value in baseline.map { value - $0 } }.sorted()
        distribution = cache.mannWhitney(candidate.count, baseline.count)
    }

    /// Creates the shift of pairs from their differences; at least one.
    package init(differences: [Double], cache: inout RankDistributions) {
        var averages: [Double] = []
        for (index, first) in differences.enumerated() {
            for second in differences[index...] { averages.append((first + second) / 2) }
        }
        self.differences = averages.sorted()
        distribution = cache.signedRank(differences.count)
    }

    /// The most likely shift.
    package var estimate: Double { differences.median ?? .nan }

    /// The confidence interval of the shift at the level `1 - error`; `nil` with too few samples.
    package func interval(error: Double) -> ClosedRange<Double>? {
        let tail = distribution.tail(within: error / 2)
        guard tail >= 1, tail <= differences.count - tail + 1 else { return nil }
        return differences[tail - 1]...differences[differences.count - tail]
    }

    /// The probability of such samples, or more extreme ones, if the shift were `limit` or less.
    package func probability(ofAtMost limit: Double) -> Double {
        distribution.probability(atMost: differences.count { $0 <= limit })
    }

    /// The probability of such samples, or more extreme ones, if the shift were `limit` or more.
    package func probability(ofAtLeast limit: Double) -> Double {
        distribution.probability(atMost: differences.count { $0 >= limit })
    }

    /// The lowest error that this number of samples can reach.
    package var lowestError: Double { 2 * distribution.probability(atMost: 0) }
}

/// A cache of computed distributions.
package struct RankDistributions: Sendable {
    private struct Sizes: Hashable {
        var first: Int
        var second: Int
    }

    private var unpaired: [Sizes: RankDistribution] = [:]
    private var paired: [Int: RankDistribution] = [:]

    package init() {}

    mutating func mannWhitney(_ first: Int, _ second: Int) -> RankDistribution {
        let sizes = Sizes(first: first, second: second)
        if let known = unpaired[sizes] { return known }
        let distribution = RankDistribution.mannWhitney(first, second)
        unpaired[sizes] = distribution
        return distribution
    }

    mutating func signedRank(_ count: Int) -> RankDistribution {
        if let known = paired[count] { return known }
        let distribution = RankDistribution.signedRank(count)
        paired[count] = distribution
        return distribution
    }

    /// The minimum number of repetitions per side that can reach an error; 100 if even more are needed.
    package mutating func repetitions(reaching error: Double, paired: Bool) -> Int {
        // Exact: one of 2ⁿ sets of signs, or of (2n choose n) ways to divide the samples.
        var lowest = 2.0
        for count in 1..<100 {
            let size = Double(count)
            lowest *= paired ? 0.5 : size / (2 * (2 * size - 1))
            if lowest <= error { return count }
        }
        return 100
    }
}
