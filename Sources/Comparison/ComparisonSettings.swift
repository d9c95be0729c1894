package import TrialModel

/// How figures are compared.
package struct ComparisonSettings: Sendable {
    package var metrics: [ComparisonMetric] = ComparisonMetric.allCases
    /// In place of a metric's own, where neither a scenario nor anybody else says one.
    package var defaultDifferences: [ComparisonMetric: SmallestDifference] = [:]
    /// In place of a metric's own, and of what a scenario says.
    package var smallestDifferences: [ComparisonMetric: SmallestDifference] = [:]
    /// What scenarios say, by their names.
    package var scenarioDifferences: [ScenarioPoint: [ComparisonMetric: SmallestDifference]] = [:]
    /// Whether the repetitions of both sides with one number ran one after the other.
    package var isPaired = false
    /// Whether it goes on until it is decided; then every look spends its share of the error. Implies pairs.
    package var isSequential = false
    /// How long a round takes, in seconds, to say what would decide a figure; `nil` where nobody knows.
    package var secondsPerRound: Double?
    package var correction = Correction.holm
    /// The probability of a false verdict in the whole comparison, or the share of false ones, as the correction has it.
    package var error = 0.05
    /// Strategies that no change of a strategy can touch: where they moved, the machine did.
    package var bounds: Set<String> = []

    package init() {}

    /// Of a comparison that goes on until it is decided, whose sides take turns: it sees smaller differences.
    package static var live: ComparisonSettings {
        var settings = ComparisonSettings()
        settings.isPaired = true
        settings.isSequential = true
        settings.metrics = [.throughput, .p50, .p99, .hitRatio]
        settings.defaultDifferences = [
            .throughput: SmallestDifference(share: 0.02), .p50: SmallestDifference(share: 0.02),
            .p99: SmallestDifference(share: 0.1), .hitRatio: SmallestDifference(amount: 0.003),
            .byteHitRatio: SmallestDifference(amount: 0.003),
        ]
        return settings
    }

    func smallestDifference(_ metric: ComparisonMetric, in scenario: ScenarioPoint) -> SmallestDifference {
        smallestDifferences[metric] ?? scenarioDifferences[scenario]?[metric] ?? defaultDifferences[metric]
            ?? metric.smallestDifference
    }
}
