import Statistics
import TrialModel

/// All figures of a run in one table for programs, a row each.
package enum FigureTable {
    private struct Figure {
        let scenario: ScenarioPoint
        let phase: String
        let operation: String
        let strategy: String
        let metric: Metric
        let estimate: Estimate
        var verdict: RankVerdict?

        /// What the row is about, within its scenario.
        var key: [String] { [phase, operation, strategy, metric.rawValue] }

        /// A figure of a metric is never negative, although its interval may reach below; a difference may be.
        var low: Double? {
            estimate.interval.map {
                estimate.value < 0 || phase.contains(" against ") ? $0.lowerBound : max(0, $0.lowerBound)
            }
        }
    }

    /// The table: the figures that decide first, the first of them with its verdict, then the other metrics of each measured
    /// phase. No figure has two rows. Repetitions that did not complete are left out.
    package static func table(_ rankings: [ScenarioRanking]) -> Table {
        let figures = rankings.flatMap { ranking in
            let deciding = deciding(ranking)
            let known = Set(deciding.map(\.key))
            return deciding + measured(ranking).filter { !known.contains($0.key) }
        }
        return Table(
            of: figures,
            [
                TableColumn("scenario") { .text("\($0.scenario)") }, TableColumn("phase") { .text($0.phase) },
                TableColumn("operation") { .text($0.operation) }, TableColumn("strategy") { .text($0.strategy) },
                TableColumn("metric") { .text($0.metric.rawValue) },
                TableColumn("unit") { .text($0.metric.unit.isEmpty ? "ratio" : $0.metric.unit) },
                TableColumn("value") { .decimal($0.estimate.value, places: 6) },
                TableColumn("low") { .decimal($0.low, places: 6) },
                TableColumn("high") { .decimal($0.estimate.interval?.upperBound, places: 6) },
                TableColumn("repetitions") { .integer(UInt64($0.estimate.repetitions)) },
                TableColumn("verdict") { .text($0.verdict?.rawValue) },
            ])
    }

    private static func deciding(_ ranking: ScenarioRanking) -> [Figure] {
        let decidedBy = ranking.question.decidedBy
        return ranking.places.flatMap { place in
            zip(decidedBy, place.figures).enumerated().compactMap { index, part in
                guard place.fault == nil, let estimate = part.1 else { return nil }
                let pool: String? = if case .only(let pool) = part.0.pool { "pool \(pool)" } else { nil }
                let operation: String? = if case .only(let kind) = part.0.operation { kind.rawValue } else { nil }
                let outcome: String? = if case .only(let outcome) = part.0.outcome { outcome.rawValue } else { nil }
                let words = [pool, operation, outcome].compactMap(\.self).joined(separator: " ")
                return Figure(
                    scenario: ranking.scenario,
                    phase: part.0.phase + (part.0.against.map { " against \($0)" } ?? ""),
                    operation: words.isEmpty ? "all" : words, strategy: place.summary.strategy, metric: part.0.metric,
                    estimate: estimate, verdict: index == 0 ? place.firstVerdict : nil)
            }
        }
    }

    private static func measured(_ ranking: ScenarioRanking) -> [Figure] {
        ranking.phases { ranking.measured.contains($0.trial.key.phase) }.flatMap { phase in
            ranking.completed(phase).flatMap { own in
                let rows = own.results.flatMap(\.latency).filter { $0.labels.outcome == .all }
                return rows.map(\.labels.operation).distinct.flatMap { figures(own, $0, of: ranking.scenario) }
            }
        }
    }

    /// The figures of one operation of a phase, or of all operations.
    private static func figures(
        _ own: ScenarioRanking.Repetitions, _ operation: Selection<OperationKind>, of scenario: ScenarioPoint
    ) -> [Figure] {
        Metric.allCases.filter { operation == .all || $0.isOfOperations }.compactMap { metric in
            let values = own.results.map { metric.value($0, LatencyLabels(operation: operation)) }.mostly()
            return Estimate(values, isRatio: metric.smallestDifference.share != nil).map { estimate in
                Figure(
                    scenario: scenario, phase: own.phase, operation: "\(operation)", strategy: own.strategy,
                    metric: metric, estimate: estimate)
            }
        }
    }
}

extension Metric {
    /// Whether each operation has a figure of its own.
    fileprivate var isOfOperations: Bool { [.throughput, .p50, .p99].contains(self) || rawValue == "p99_9" }
}
