import TestTiers
import Testing
import TrialModel

@testable import Measurement

@Suite(.timeLimit(.minutes(1)))
struct LatencyHistogramTests {
    private func histogram(of latencies: [UInt64]) -> LatencyHistogram {
        latencies.reduce(into: LatencyHistogram()) { $0.record($1) }
    }

    /// Latencies over nine decades, as of a cache with a slow origin.
    private func latencies(_ count: Int, seed: UInt64) -> [UInt64] {
        var random = RandomSource(seed: seed)
        let sampler = DistributionSampler(.logNormal(median: 40_000, p99: 900_000_000, max: 3_000_000_000_000))
        return (0..<count).map { _ in sampler.next(using: &random) }
    }

    @Test
    func `an empty distribution has no figures`() {
        #expect(LatencyHistogram().summary() == nil)
    }

    @Test(arguments: [1, 42, 2026] as [UInt64])
    func `percentiles are those of a sorted list to three digits`(seed: UInt64) throws {
        let sorted = latencies(TestTier.cases(1_000_000), seed: seed).sorted()
        let summary = try #require(histogram(of: sorted).summary())
        // In ten-thousandths, so that the rank is exact.
        let percentiles = [
            (5_000, summary.p50), (9_000, summary.p90), (9_500, summary.p95), (9_900, summary.p99),
            (9_990, summary.p99_9), (9_999, summary.p99_99),
        ]
        for (share, found) in percentiles {
            let rank = (sorted.count * share + 9_999) / 10_000
            let exact = Double(sorted[rank - 1])
            let found = try #require(found)
            #expect(
                abs(Double(found) - exact) <= exact / 1_000 + 1, "\(share) of 10,000: found \(found), exact \(exact)")
        }
    }

    @Test
    func `shortest, longest and mean are exact`() throws {
        let samples: [UInt64] = [1_234_567, 7_654_321, 1_234_569, 987_654_321]
        let summary = try #require(histogram(of: samples).summary())
        #expect(summary.min == 1_234_567)
        #expect(summary.max == 987_654_321)
        #expect(summary.mean == 249_444_445)
    }

    @Test
    func `figures of one latency are that latency`() throws {
        let summary = try #require(histogram(of: [123_456_789]).summary())
        let all = [
            summary.min, summary.mean, summary.p50, summary.p90, summary.p95, summary.p99, summary.p99_9,
            summary.p99_99, summary.max,
        ]
        #expect(Set(all) == [123_456_789])
    }

    @Test
    func `a latency of 0 counts`() throws {
        let zero = histogram(of: [0, 0, 5])
        let summary = try #require(zero.summary())
        #expect((zero.count, summary.min, summary.p50, summary.max) == (3, 0, 0, 5))
    }

    @Test
    func `adding equals recording all in one`() {
        let first = latencies(5_000, seed: 1)
        let second = latencies(7_000, seed: 2).map { $0 / 100 }
        var sum = histogram(of: first)
        sum.add(histogram(of: second))
        #expect(sum.summary() == histogram(of: first + second).summary())
        #expect(sum.count == 12_000)
    }

    @Test
    func `adding an empty distribution changes nothing, either way`() {
        let some = histogram(of: [5, 9])
        var left = some
        left.add(LatencyHistogram())
        var right = LatencyHistogram()
        right.add(some)
        #expect(left.summary() == some.summary())
        #expect(right.summary() == some.summary())
    }

    @Test
    func `a latency above an hour counts as an hour`() throws {
        let summary = try #require(histogram(of: [3_600_000_000_000, 3_600_000_000_001, .max]).summary())
        #expect((summary.max, summary.p50) == (3_600_000_000_000, 3_600_000_000_000))
    }

    @Test func `samples hold the recorded values, however large their sum is`() {
        var histogram = LatencyHistogram()
        histogram.record(3_000_000_000_000, count: 1 << 40)
        histogram.record(7)
        #expect(histogram.samples.map(\.count) == [1, 1 << 40])
        #expect(histogram.samples.first?.nanoseconds == 7)
    }
}
