/// How figures are compared.
package struct ComparisonSettings: Sendable {
    package var metrics: [ComparisonMetric] = ComparisonMetric.allCases
    /// In place of a metric's own.
    package var smallestDifferences: [ComparisonMetric: SmallestDifference] = [:]
    /// Whether the repetitions of both sides with one number ran one after the other.
    package var isPaired = false
    package var correction = Correction.holm
    /// The probability of a false verdict in the whole comparison, or the share of false ones, as the correction has it.
    package var error = 0.05
    /// Strategies that no change of a strategy can touch: where they moved, the machine did.
    package var bounds: Set<String> = []

    package init() {}

    func smallestDifference(_ metric: ComparisonMetric) -> SmallestDifference {
        smallestDifferences[metric] ?? metric.smallestDifference
    }
}
