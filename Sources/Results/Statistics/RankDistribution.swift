import Foundation
import TrialModel

/// The null distribution of a rank statistic, when the sides do not differ.
///
/// It is exact up to ``exactLimit`` samples per side and up to 1,000 pairs, from the recurrences of the counts. Above that
/// it is the normal approximation with continuity correction, with an error below 0.0005.
///
/// Sources: H. B. Mann and D. R. Whitney, "On a Test of Whether one of Two Random Variables is Stochastically Larger
/// than the Other" (1947), for the recurrence of U.
package struct RankDistribution: Sendable {
    /// The maximum number of samples per side with exact counts.
    static let exactLimit = 50

    /// The largest value of the statistic.
    package let largest: Int
    /// The probability of each value or a lower one; empty when the approximation is used.
    private let cumulative: [Double]
    private let deviation: Double

    /// The distribution of U: the number of pairs of a candidate's and a baseline's sample in which the first is lower.
    ///
    /// Takes time O(`first² · second²`) and memory O(`first · second²`).
    package static func mannWhitney(_ first: Int, _ second: Int) -> RankDistribution {
        let pairs = Double(first) * Double(second)
        let deviation = (pairs * Double(first + second + 1) / 12).squareRoot()
        guard max(first, second) <= exactLimit else {
            return RankDistribution(largest: first * second, probabilities: [], deviation: deviation)
        }
        // The largest sample belongs either to the first side, and exceeds all of the second, or to the second side.
        var rows: [[Double]] = Array(repeating: [1], count: second + 1)
        for a in stride(from: 1, through: first, by: 1) {
            var next: [[Double]] = [[1]]
            for b in stride(from: 1, through: second, by: 1) {
                var probabilities = [Double](repeating: 0, count: a * b + 1)
                let share = Double(a) / Double(a + b)
                for (u, probability) in rows[b].enumerated() { probabilities[u + b] += share * probability }
                for (u, probability) in next[b - 1].enumerated() { probabilities[u] += (1 - share) * probability }
                next.append(probabilities)
            }
            rows = next
        }
        return RankDistribution(largest: first * second, probabilities: rows[second], deviation: deviation)
    }

    /// The distribution of the number of positive ones among the differences of `pairs` pairs.
    package static func signs(_ pairs: Int) -> RankDistribution {
        var probability = pow(0.5, Double(pairs))
        let probabilities = (0...pairs).map { positive in
            defer { probability *= Double(pairs - positive) / Double(positive + 1) }
            return probability
        }
        return RankDistribution(
            largest: pairs, probabilities: pairs <= 1_000 ? probabilities : [],
            deviation: Double(pairs).squareRoot() / 2)
    }

    private init(largest: Int, probabilities: [Double], deviation: Double) {
        self.largest = largest
        self.deviation = deviation
        var sum = 0.0
        cumulative = probabilities.map { probability in
            sum += probability
            return min(sum, 1)
        }
    }

    /// The probability of a value of at most `value`.
    package func probability(atMost value: Int) -> Double {
        if value < 0 { return 0 }
        if value >= largest { return 1 }
        if !cumulative.isEmpty { return cumulative[value] }
        return erfc((Double(largest) / 2 - Double(value) - 0.5) / deviation / 2.0.squareRoot()) / 2
    }

    /// How many of the lowest values together have a probability of at most `probability`.
    package func tail(within probability: Double) -> Int {
        (0..<largest).partitioningIndex { self.probability(atMost: $0) > probability }
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
