import Foundation

/// The shift of a candidate against a baseline: the mean of the differences of independent rounds, with Student's
/// confidence interval.
///
/// A round's difference is a median over many slices, so rounds are nearly normally distributed. Therefore five rounds
/// are enough where a rank test needs a dozen. On a busy machine one round in ten is an outlier, so from ten rounds on
/// a tenth is trimmed at each end.
///
/// Sources: Student, "The Probable Error of a Mean" (1908); J. W. Tukey and D. H. McLaughlin, "Less Vulnerable
/// Confidence and Significance Procedures for Location Based on a Single Sample: Trimming/Winsorization 1" (1963).
package struct MeanShift: Sendable {
    package let estimate: Double
    private let count: Int
    /// The standard error of the trimmed mean, from the winsorized variance.
    private let standardError: Double

    /// - Parameter differences: one difference per round.
    /// - Returns: `nil` with fewer than two.
    package init?(differences: [Double]) {
        guard differences.count >= 2 else { return nil }
        count = differences.count
        let trimmed = Self.trimmed(of: differences.count)
        let sorted = differences.sorted()
        let kept = sorted[trimmed..<(sorted.count - trimmed)]
        estimate = kept.reduce(0, +) / Double(kept.count)
        let winsorized = sorted.map { min(max($0, sorted[trimmed]), sorted[sorted.count - 1 - trimmed]) }
        let mean = winsorized.reduce(0, +) / Double(sorted.count)
        let squares = winsorized.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        let deviation = (squares / Double(sorted.count - 1)).squareRoot()
        standardError = deviation * Double(sorted.count).squareRoot() / Double(kept.count)
    }

    /// How many of `count` rounds are trimmed at each end.
    private static func trimmed(of count: Int) -> Int { count / 10 }

    /// The confidence interval of the shift at the level `1 - error`.
    package func interval(error: Double) -> ClosedRange<Double> {
        let reach = reach(of: count, error: error)
        return (estimate - reach)...(estimate + reach)
    }

    /// The probability of such rounds, or more extreme ones, if the shift were `limit` or less.
    func probability(ofAtMost limit: Double) -> Double { probability(ofLyingBeyond: estimate - limit) }

    /// The probability of such rounds, or more extreme ones, if the shift were `limit` or more.
    func probability(ofAtLeast limit: Double) -> Double { probability(ofLyingBeyond: limit - estimate) }

    private func probability(ofLyingBeyond distance: Double) -> Double {
        guard standardError > 0 else { return distance > 0 ? 0 : 1 }
        let freedom = count - 2 * Self.trimmed(of: count) - 1
        let beyond = StudentDistribution(degreesOfFreedom: freedom).probability(
            beyond: (distance / standardError).magnitude)
        return distance > 0 ? beyond / 2 : 1 - beyond / 2
    }

    /// The half width of the interval of `rounds` rounds with the same scatter.
    private func reach(of rounds: Int, error: Double) -> Double {
        let freedom = rounds - 2 * Self.trimmed(of: rounds) - 1
        let quantile = StudentDistribution(degreesOfFreedom: freedom).quantile(exceededBy: error)
        return quantile * standardError * (Double(count) / Double(rounds)).squareRoot()
    }

    /// How many rounds an interval with a half width of at most `wanted` needs, with the same scatter; `nil` when
    /// twenty times as many are not enough.
    package func rounds(forReach wanted: Double, error: (_ rounds: Int) -> Double) -> Int? {
        guard wanted > 0 else { return nil }
        var rounds = count
        while rounds <= 20 * count {
            if reach(of: rounds, error: error(rounds)) <= wanted { return rounds }
            rounds += max(1, rounds / 10)
        }
        return nil
    }
}

/// The distribution of Student's t.
///
/// Source: M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions" (1964), 26.7.3 and 26.7.4: finite
/// sums for whole degrees of freedom. Takes time proportional to the degrees of freedom.
package struct StudentDistribution: Sendable {
    package let degreesOfFreedom: Int

    package init(degreesOfFreedom: Int) { self.degreesOfFreedom = degreesOfFreedom }

    /// The probability that the magnitude of t exceeds `value`.
    package func probability(beyond value: Double) -> Double {
        guard value > 0 else { return 1 }
        let angle = atan(value / Double(degreesOfFreedom).squareRoot())
        let (sine, cosine) = (sin(angle), cos(angle))
        // The terms of the series: even or odd powers of the cosine, with products of even and odd numbers.
        let isOdd = !degreesOfFreedom.isMultiple(of: 2)
        var term = isOdd ? cosine : 1
        var sum = 0.0
        for step in stride(from: isOdd ? 3 : 2, through: degreesOfFreedom, by: 2) {
            sum += term
            term *= cosine * cosine * Double(step - 1) / Double(step)
        }
        let within = isOdd ? 2 / Double.pi * (angle + sine * sum) : sine * sum
        return max(0, 1 - within)
    }

    /// The value that the magnitude of t exceeds with a probability of `error`, from 1e-9 to 1.
    package func quantile(exceededBy error: Double) -> Double {
        let error = max(error, 1e-9)
        var low = 0.0
        var high = 1.0
        while probability(beyond: high) > error, high < 1e12 { high *= 2 }
        for _ in 0..<100 {
            let middle = (low + high) / 2
            if probability(beyond: middle) > error { low = middle } else { high = middle }
        }
        return high
    }
}
