import Reports
import TrialModel

@testable import TrialSessions

/// Made-up trials, and a record of their requests.
struct ScriptedRateTrials: RateTrials {
    /// The result of a phase at a rate (`nil` in the closed loop) in a repetition.
    var respond: (Double?, Int) -> PhaseResult
    private(set) var asked: [(rate: Double?, step: Int, repetition: Int)] = []

    init(_ respond: @escaping (Double?, Int) -> PhaseResult) {
        self.respond = respond
    }

    mutating func run(_ scenario: Scenario, step: Int, repetition: Int) async throws -> [PhaseResult] {
        var rate: Double?
        if case .open(let course, _)? = scenario.phases.last?.arrival { rate = course.highest }
        asked.append((rate, step, repetition))
        let warmUp = PhaseResult(
            trial: TrialRow(key: Self.key(repetition, "warm-up"), driver: .threads, status: .completed))
        var last = respond(rate, repetition)
        last.trial.key = Self.key(repetition, "main")
        return [warmUp, last]
    }

    func note(_ row: RateSearchRow) {}

    private static func key(_ repetition: Int, _ phase: String) -> RowKey {
        RowKey(trial: TrialIdentity(scenario: "s", strategy: "x", repetition: repetition), phase: phase)
    }

    /// A phase of one second that completed.
    ///
    /// - Parameters:
    ///   - p99: the response time, from the due time of operations, in nanoseconds.
    ///   - served: the service time, from sending them, in nanoseconds.
    ///   - mean: of the service times, in nanoseconds.
    static func phase(
        p99: UInt64, served: UInt64 = 1_000, mean: UInt64 = 1_000, operations: UInt64 = 10_000, dropped: UInt64 = 0,
        lateness: UInt64 = 0
    ) -> PhaseResult {
        let key = key(1, "main")
        var result = PhaseResult(
            trial: TrialRow(
                key: key, driver: .threads, status: .completed, operations: operations,
                elapsedNanoseconds: 1_000_000_000, wrongAnswers: 0))
        result.trial.latenessP99Nanoseconds = lateness
        result.latency = [(LatencyBasis.service, served), (.response, p99)].map { basis, figure in
            LatencyRow(
                key: key, labels: LatencyLabels(basis: basis), count: operations,
                throughputPerSecond: Double(operations),
                latency: LatencySummary(
                    min: 0, mean: basis == .service ? mean : figure, p50: figure, p90: figure, p95: figure,
                    p99: figure,
                    p99_9: figure, p99_99: figure, max: figure))
        }
        result.hitRate = HitRateRow(
            key: key, capacity: Capacity(entries: 1), lookups: operations, hits: 0, misses: operations
        ).with {
            ($0.bytesLookedUp, $0.bytesHit, $0.droppedOperations) = (0, 0, dropped)
        }
        return result
    }
}
