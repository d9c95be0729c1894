import Testing

@testable import TrialModel

@Suite(.timeLimit(.minutes(1))) struct MetricTests {
    @Test func `a title is what people call the figure`() {
        #expect(
            Metric.allCases.map(\.title) == [
                "throughput", "p50", "p99", "p99.9", "hit ratio", "byte hit ratio", "duplicate loads",
                "bytes per entry",
                "allocations per operation", "instructions per operation", "missed frames", "over budget frames",
                "held p99", "shown at once", "time to picture p50", "time to picture p99", "bytes given back",
                "operations to recovery", "stale answers per million lookups", "recovery", "prefetch useful",
                "share of lookups sent to the origin", "failed loads", "first hit",
                "opening",
            ])
    }
}
