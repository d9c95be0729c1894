package import Statistics
package import TrialModel

/// How figures are compared.
package struct ComparisonSettings: Sendable {
    package var metrics: [Metric] = Metric.compared
    /// Replaces a metric's own default, unless a scenario or the user sets a smallest difference.
    package var defaultDifferences: [Metric: SmallestDifference] = [:]
    /// Replaces a metric's own default and the scenario's value.
    package var smallestDifferences: [Metric: SmallestDifference] = [:]
    /// The values that scenarios set, by scenario name.
    package var scenarioDifferences: [ScenarioPoint: [Metric: SmallestDifference]] = [:]
    /// Whether repetitions with the same number ran back to back on both sides.
    package var isPaired = false
    /// Whether the comparison is sequential: it continues until it is decided, and every look spends its share of the
    /// error. Implies pairs.
    package var isSequential = false
    /// How long a round takes, in seconds, to estimate the time until a decision; `nil` when unknown.
    package var secondsPerRound: Double?
    package var correction = Correction.holm
    /// The probability of any false verdict in the whole comparison, or the share of false verdicts, depending on the
    /// correction.
    package var error = 0.05
    /// Strategies that no change of a strategy can affect: if their figures move, the machine has changed.
    package var bounds: Set<String> = []

    package init() {}

    /// The settings of a sequential comparison with interleaved sides, which detects smaller differences.
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

    func smallestDifference(_ metric: Metric, in scenario: ScenarioPoint) -> SmallestDifference {
        smallestDifferences[metric] ?? scenarioDifferences[scenario]?[metric] ?? defaultDifferences[metric]
            ?? metric.smallestDifference
    }
}
