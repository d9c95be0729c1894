import Testing

@testable import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct ExpectationTests {
    private static let key = RowKey(trial: TrialIdentity(scenario: "s", strategy: "x", repetition: 1), phase: "p")

    private static func result(
        hits: UInt64 = 60, duplicates: UInt64? = 3, joined: UInt64 = 2, dropped: UInt64? = nil
    ) -> PhaseResult {
        let summary = LatencySummary(
            min: 1, mean: 2, p50: 20, p90: 30, p95: 40, p99: 5_000_000, p99_9: 60, p99_99: 70, max: 80)
        var late = summary
        late.p99 = 9_000_000
        return PhaseResult(
            trial: TrialRow(key: key, driver: .threads, status: .completed),
            latency: [
                LatencyRow(
                    key: key, count: 100, throughputPerSecond: 1, latency: summary),
                LatencyRow(
                    key: key, labels: LatencyLabels(operation: .only(.load)), count: 100, throughputPerSecond: 1,
                    latency: summary),
                LatencyRow(
                    key: key, labels: LatencyLabels(basis: .response), count: 100, throughputPerSecond: 1,
                    latency: late),
            ],
            hitRate: HitRateRow(key: key, capacity: Capacity(entries: 1), lookups: 100, hits: hits, misses: 100 - hits)
                .with {
                    ($0.duplicateLoads, $0.joinedLoads, $0.droppedOperations) = (duplicates, joined, dropped)
                })
    }

    @Test func `a met expectation has no message`() {
        let met: [TrialModel.Expectation] = [
            .hitRatio(atLeast: 0.6, atMost: 0.6), .contendedMisses(atLeast: 5), .duplicateLoads(atMost: 3),
            .droppedOperations(atMost: 0), .latency(LatencyObjective(figure: .p99, operation: .load, limit: 5_000_000)),
            .latency(LatencyObjective(figure: .p99, limit: 9_000_000)),
        ]
        #expect(met.compactMap { $0.shortfall(in: Self.result()) } == [])
    }

    @Test func `a missed expectation says by how much`() {
        let missed: [TrialModel.Expectation] = [
            .hitRatio(atLeast: 0.625, atMost: 1), .hitRatio(atLeast: 0, atMost: 0.5), .contendedMisses(atLeast: 10),
            .duplicateLoads(atMost: 0), .droppedOperations(atMost: 1),
            .latency(LatencyObjective(figure: .p99, operation: .load, limit: 4_000_000)),
            // From the due time of operations, where they had one.
            .latency(LatencyObjective(figure: .p99, limit: 5_000_000)),
            .latency(LatencyObjective(figure: .max, operation: .clear, limit: 5)),
        ]
        #expect(
            missed.map { $0.shortfall(in: Self.result(dropped: 4)) } == [
                "hit ratio 60.00 %, expected at least 62.50 %: 2.50 pp too low",
                "hit ratio 60.00 %, expected at most 50.00 %: 10.00 pp too high",
                "5 contended misses, expected at least 10: 5 too few",
                "3 duplicate loads, expected at most 0: 3 too many",
                "4 dropped operations, expected at most 1: 3 too many",
                "p99 of load 5.00 ms, expected at most 4.00 ms: 1.00 ms too long",
                "p99 9.00 ms, expected at most 5.00 ms: 4.00 ms too long",
                "max of clear was expected, and there was no such operation",
            ])
    }

    @Test func `an expectation without a measurement is not met`() {
        #expect(TrialModel.Expectation.contendedMisses(atLeast: 1).shortfall(in: Self.result(duplicates: nil)) != nil)
        var empty = Self.result()
        empty.hitRate = nil
        #expect(TrialModel.Expectation.hitRatio(atLeast: 0, atMost: 1).shortfall(in: empty) != nil)
    }
}
