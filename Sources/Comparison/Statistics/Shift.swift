import TrialModel

/// How far a candidate's samples lie above a baseline's: the Hodges–Lehmann estimate and its exact interval.
///
/// The estimate is the median of all differences between the two sides, or, where samples are pairs, of the averages
/// of every two differences. Its interval holds what the rank test (Mann–Whitney, or Wilcoxon's signed ranks) does not
/// refute, and needs no assumption on the shape of the noise. Ties count against a difference.
///
/// Source: J. L. Hodges and E. L. Lehmann, "Estimates of Location Based on Rank Tests" (1963).
package struct Shift: Sendable {
    /// In ascending order.
    private let differences: [Double]
    private let distribution: RankDistribution

    /// Of samples that are not pairs; both sides have one at least.
    package init(baseline: [Double], candidate: [Double], cache: inout RankDistributions) {
        differences = candidate.flatMap { value in baseline.map { value - $0 } }.sorted()
        distribution = cache.mannWhitney(candidate.count, baseline.count)
    }

    /// Of pairs, by their differences, one at least.
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

    /// Where the shift lies but for the probability `error`; `nil` when there are too few samples to say.
    package func interval(error: Double) -> ClosedRange<Double>? {
        let tail = distribution.tail(within: error / 2)
        guard tail >= 1, tail <= differences.count - tail + 1 else { return nil }
        return differences[tail - 1]...differences[differences.count - tail]
    }

    /// The probability of samples like these or clearer ones if the shift were `limit` or less.
    package func probability(ofAtMost limit: Double) -> Double {
        distribution.probability(atMost: differences.count { $0 <= limit })
    }

    /// The same if it were `limit` or more.
    package func probability(ofAtLeast limit: Double) -> Double {
        distribution.probability(atMost: differences.count { $0 >= limit })
    }

    /// The lowest error that as many samples can reach.
    package var lowestError: Double { 2 * distribution.probability(atMost: 0) }
}

/// Distributions that were computed before.
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

    /// The fewest repetitions, of each side, with which an error can be reached; 100 when that is not enough either.
    mutating func repetitions(reaching error: Double, paired: Bool) -> Int {
        // Exact: one of 2ⁿ sets of signs, or of (2n over n) ways to share the samples out.
        var lowest = 2.0
        for count in 1..<100 {
            let size = Double(count)
            lowest *= paired ? 0.5 : size / (2 * (2 * size - 1))
            if lowest <= error { return count }
        }
        return 100
    }
}
