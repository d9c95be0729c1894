import Foundation
package import TrialModel

/// The scale on which figures are compared.
package struct ComparisonScale: Sendable {
    /// Whether ratios are judged, with logarithms as samples.
    package let isRatio: Bool
    /// The smallest difference worth reporting, on this scale.
    package let margin: Double

    /// Creates the scale for the samples of any number of sides: ratios, unless a figure is zero or the metric counts in
    /// points.
    package init(_ sides: [[Double]], _ smallest: SmallestDifference) {
        let sides = sides.filter { !$0.isEmpty }
        // The smaller side, so that swapping the sides only swaps the verdict.
        let level = sides.compactMap(\.median?.magnitude).min() ?? 0
        isRatio = smallest.share != nil && sides.joined().allSatisfy { $0 > 0 }
        if isRatio {
            margin = log1p(max(smallest.share ?? 0, level > 0 ? smallest.amount / level : 0))
        } else {
            margin = max((smallest.share ?? 0) * level, smallest.amount)
        }
    }

    /// Converts a sample to this scale.
    package func judged(_ value: Double) -> Double { isRatio ? log(value) : value }

    /// A shift in displayed form: a ratio or a difference.
    package func shown(_ shift: Double) -> Double { isRatio ? exp(shift) : shift }

    /// The smallest difference in displayed form: a share or an amount.
    package var shownMargin: Double { isRatio ? expm1(margin) : margin }
}
