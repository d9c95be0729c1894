import Foundation
import Reports
package import TrialModel

/// Decides whether the repetitions so far determine the figures precisely enough.
///
/// It uses the 95 % confidence interval of Wilcoxon's signed ranks around the median of the logarithms, which needs at
/// least six repetitions. The criterion is its half width, not a difference between strategies, so that stopping early
/// favours none of them.
package struct Stability: Sendable {
    /// A figure that is not yet precise enough.
    package struct Open: Hashable, Sendable {
        package var scenario: ScenarioPoint
        package var strategy: String
        package var phase: String
        package var metric: Metric
        /// The half width of the interval as a share; `nil` with too few repetitions.
        package var halfWidth: Double?
        /// The wanted maximum of the half width.
        package var wanted: Double
    }

    /// The maximum half width of throughput and p50, as a share; p99 may have twice as much.
    package var within: Double

    package init(within: Double) {
        self.within = within
    }

    /// The figures that are not yet precise enough; empty without results.
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
            [Metric.throughput, .p50, .p99].compactMap { metric -> Open? in
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
