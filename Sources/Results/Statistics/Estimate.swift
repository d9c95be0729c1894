import TrialModel

/// The median of a figure over repetitions, with its interval at 95 %.
///
/// The interval is Student's, around the median, and wider than that of the mean by √(π/2), since a median scatters that
/// much more where noise is normal. Positive figures that may differ by factors are judged as logarithms. It is assumed
/// that repetitions are independent, and nearly normal on their scale.
package struct Estimate: Hashable, Sendable {
    /// The median.
    package let value: Double
    /// Its interval at 95 %; the figure alone where all repetitions agree, and `nil` with fewer than three.
    package let interval: ClosedRange<Double>?
    /// The number of repetitions.
    package let repetitions: Int

    /// - Parameters:
    ///   - figures: one of each repetition; those that are not finite are left out.
    ///   - isRatio: whether figures are judged as logarithms, where all are positive.
    /// - Returns: `nil` without a finite figure.
    package init?(_ figures: [Double], isRatio: Bool) {
        let finite = figures.filter(\.isFinite)
        guard let median = finite.median else { return nil }
        (value, repetitions) = (median, finite.count)
        let scale = ComparisonScale([finite], SmallestDifference(share: isRatio ? 0 : nil))
        let judged = finite.map(scale.judged)
        if finite.count >= Shift.fewestPairs, Set(finite).count == 1 {
            interval = median...median
        } else if let student = Shift(differences: judged)?.interval(error: ErrorSpending.total) {
            var width = student.upperBound - student.lowerBound
            // Few outliers are trimmed. Without a width it would look as if all repetitions agreed.
            if width <= Shift.rounding, let low = judged.min(), let high = judged.max() { width = high - low }
            let reach = width / 2 * (Double.pi / 2).squareRoot()
            interval = scale.shown(scale.judged(median) - reach)...scale.shown(scale.judged(median) + reach)
        } else {
            interval = nil
        }
    }
}
