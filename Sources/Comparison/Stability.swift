import Foundation
package import TrialModel

/// Whether the repetitions so far say a figure closely enough.
///
/// The interval is that of Wilcoxon's signed ranks around the median of the logarithms, at 95 %; it exists from six
/// repetitions on. What is asked is its half width and not a difference between strategies, so that stopping early
/// favours none of them.
package struct Stability: Sendable {
    /// A figure that is not known closely enough.
    package struct Open: Hashable, Sendable {
        package var scenario: ScenarioPoint
        package var strategy: String
        package var phase: String
        package var metric: ComparisonMetric
        /// The half width of the interval as a share; `nil` with too few repetitions.
        package var halfWidth: Double?
        /// What it should be at most.
        package var wanted: Double
    }

    /// The half width that throughput and p50 need, as a share; p99 may have twice as much.
    package var within: Double

    package init(within: Double) {
        self.within = within
    }

    /// The figures of some results that are open; none when there is no result.
    package func open(_ results: [PhaseResult]) -> [Open] {
        var order: [RowKey] = []
        var groups: [RowKey: [PhaseResult]] = [:]
        for result in results where !result.latency.isEmpty {
            var key = result.trial.key
            key.trial.repetition = 1
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append(result)
        }
        var cache = RankDistributions()
        return order.flatMap { key in
            [ComparisonMetric.throughput, .p50, .p99].compactMap { metric -> Open? in
                let logarithms = (groups[key] ?? []).compactMap(metric.value).filter { $0 > 0 }.map { log($0) }
                let wanted = metric == .p99 ? 2 * within : within
                guard !logarithms.isEmpty else { return nil }
                let interval = Shift(differences: logarithms, cache: &cache).interval(error: 0.05)
                let halfWidth = interval.map { expm1(($0.upperBound - $0.lowerBound) / 2) }
                if let halfWidth, halfWidth <= wanted { return nil }
                return Open(
                    scenario: key.trial.scenario, strategy: key.trial.strategy, phase: key.phase, metric: metric,
                    halfWidth: halfWidth, wanted: wanted)
            }
        }
    }
}
