import Testing
import TrialModel

@testable import Measurement

/// Medians computed from the buckets of sketches.
@Suite(.timeLimit(.minutes(1)))
struct LatencySketchesTests {
    private static func median(_ samples: [(nanoseconds: UInt64, count: UInt64)]) -> Double? {
        LatencySample.median(of: samples.map { LatencySample(nanoseconds: $0.nanoseconds, count: $0.count) })
    }

    @Test(
        arguments: [1, 2, 50, 127, 128, 1_000, 123_456, 3_000_000_000] as [UInt64], [1, 2, 7, 1_000_000] as [UInt64])
    func `the median of equal latencies is that latency`(nanoseconds: UInt64, count: UInt64) {
        #expect(Self.median([(nanoseconds, count)]) == Double(nanoseconds))
    }

    @Test func `between the values of a coarse clock the median moves with their counts`() {
        let medians = ([100, 300, 500, 700, 900] as [UInt64]).compactMap { longer in
            Self.median([(40, 10), (50, 1_000 - longer), (60, longer), (70, 10)])
        }
        #expect(medians == medians.sorted() && Set(medians).count == medians.count)
        #expect(medians.allSatisfy { (45...65).contains($0) })
    }

    @Test func `the median rises with every latency that becomes longer`() {
        let medians = (0...1_000).compactMap { longer in
            Self.median([(100, UInt64(1_000 - longer)), (101, UInt64(longer))])
        }
        #expect(medians == medians.sorted())
        #expect(Set(medians).count == medians.count)
        #expect(medians.count == 1_001 && medians.first == 100 && medians.last == 101)
    }

    @Test func `the order of samples does not matter, and neither do repeated latencies`() {
        let whole = Self.median([(10, 3), (20, 4), (30, 2)])
        #expect(Self.median([(30, 2), (20, 1), (10, 3), (20, 3)]) == whole)
    }

    @Test func `the median lies in the bucket of the true one`() throws {
        for seed in 1...UInt64(50) {
            var random = RandomSource(seed: seed, stream: 7)
            var sketches = LatencySketches()
            let latencies = (0..<1_001).map { _ in 1 + random.next() >> (34 + random.next(below: 24)) }
            for latency in latencies { sketches.record(.read, nanoseconds: latency) }
            let median = try #require(LatencySample.median(of: sketches.samples(.read)))
            let middle = latencies.sorted()[500]
            // A bucket is at most a 64th wide, and spread to halfway to its neighbours.
            #expect(abs(median - Double(middle)) <= Double(middle) / 16 + 1, "seed \(seed)")
        }
    }

    @Test func `without latencies there is no median`() {
        #expect(Self.median([]) == nil)
        #expect(Self.median([(5, 0)]) == nil)
    }

    @Test func `latencies and counts may be as large as possible`() throws {
        let longest = try #require(Self.median([(.max, .max)]))
        #expect(longest.isFinite && longest > 1e12)
        let shortest = try #require(Self.median([(0, .max), (1, 1_000)]))
        let three = try #require(Self.median([(1, .max), (2, .max), (.max, .max)]))
        #expect(shortest.isFinite && three.isFinite)
    }
}
