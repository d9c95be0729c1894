import Foundation

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
