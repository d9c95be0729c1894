package import TrialModel

/// How figures are compared.
package struct ComparisonSettings: Sendable {
    package var metrics: [ComparisonMetric] = ComparisonMetric.allCases
    /// In place of a metric's own, and of what a scenario says.
    package var smallestDifferences: [ComparisonMetric: SmallestDifference] = [:]
    /// What scenarios say, by their names.
    package var scenarioDifferences: [String: [ComparisonMetric: SmallestDifference]] = [:]
    /// Whether the repetitions of both sides with one number ran one after the other.
    package var isPaired = false
    package var correction = Correction.holm
    /// The probability of a false verdict in the whole comparison, or the share of false ones, as the correction has it.
    package var error = 0.05
    /// Strategies that no change of a strategy can touch: where they moved, the machine did.
    package var bounds: Set<String> = []

    package init() {}

    func smallestDifference(_ metric: ComparisonMetric, in scenario: String) -> SmallestDifference {
        smallestDifferences[metric] ?? scenarioDifferences[scenario]?[metric] ?? metric.smallestDifference
    }
}
