import EvictionPolicies
import Foundation
import TestTiers
import Testing
import TrialModel

@testable import Traces

/// The estimate from a sample of the keys, and when there is none.
@Suite(.timeLimit(.minutes(5)))
struct SpatialSampleTests {
    /// A Zipf distribution with exponent 1 over this many keys, whose numbers are independent of their rank.
    private static func zipf(keys: Int, requests: Int, seed: UInt64) -> [UInt64] {
        var weights: [Double] = []
        var total = 0.0
        for rank in 1...keys {
            total += 1 / Double(rank)
            weights.append(total)
        }
        var random = RandomSource(seed: seed, stream: 0)
        return (0..<requests).map { _ in
            let wanted = Double(random.next() >> 11) * 0x1p-53 * total
            return UInt64(weights.dropLast().partitioningIndex { $0 >= wanted }) &* 0x9E37_79B9_7F4A_7C15
        }
    }

    private static func replay(
        _ path: String, _ policies: [ReplayPolicy], _ capacities: [ReplayCapacity], rate: Double, seed: UInt64 = 1
    ) throws -> TraceReplay.Results {
        try TraceReplay(policies: policies, capacities: capacities, sampleRate: rate, seed: seed).run(path: path)
    }

    @Test(arguments: [ReplayCapacity.entries(2000), .share(0.1)])
    func `the truth is within two standard errors for most seeds`(capacity: ReplayCapacity) throws {
        let requests = TestTier.isNightly ? 200_000 : 100_000
        let path = try TraceReplayTests.lirs(Self.zipf(keys: 20_000, requests: requests, seed: 5))
        let truth = try #require(try Self.replay(path, [.lru], [capacity], rate: 1).results.first?.hitRatio)
        var near = 0
        let seeds: ClosedRange<UInt64> = 1...24
        for seed in seeds {
            let result = try #require(try Self.replay(path, [.lru], [capacity], rate: 0.1, seed: seed).results.first)
            let estimate = try #require(result.hitRatio)
            let error = try #require(result.hitRatioError)
            if abs(estimate - truth) <= 2 * error { near += 1 }
            #expect(abs(estimate - truth) < 0.05, "seed \(seed): \(estimate), not \(truth)")
        }
        #expect(near * 24 >= seeds.count * 20, "\(near) of \(seeds.count)")
    }

    @Test func `a sample depends on the keys and the seed, and not on their order`() throws {
        let keys = (0..<40_000).map { UInt64($0 % 4_000) }
        let forth = try TraceReplayTests.lirs(keys)
        let back = try TraceReplayTests.lirs(keys.reversed())
        let texts = try TraceReplayTests.file(keys.map { "key \($0)\n" }.joined(), "trace.keys")
        let textsBack = try TraceReplayTests.file(keys.reversed().map { "key \($0)\n" }.joined(), "trace.keys")
        let requests = { (path: String, seed: UInt64) in
            try Self.replay(path, [.fifo], [.entries(1000)], rate: 0.1, seed: seed).results.map(\.counts.requests)
        }
        #expect(try requests(forth, 1) == requests(back, 1))
        #expect(try requests(texts, 1) == requests(textsBack, 1))
        #expect(try requests(forth, 1) != requests(forth, 2))
    }

    @Test func `a sample of too few keys gives no estimate`() throws {
        let path = try TraceReplayTests.lirs(TraceReplayTests.keys(seed: 3))
        for rate in [0.0001, 0.1] {
            let outcome = try Self.replay(path, [.lru, .optimal], [.entries(400)], rate: rate)
            #expect(outcome.results.map(\.hitRatio) == [nil, nil])
            #expect(outcome.notes.count == 1)
        }
    }

    @Test func `a cache that shrinks to a few entries gives no estimate`() throws {
        let path = try TraceReplayTests.lirs((0..<30_000).map { UInt64($0 % 10_000) })
        let outcome = try Self.replay(path, [.lru, .unbounded], [.entries(100), .entries(5000)], rate: 0.1)
        #expect(outcome.results.map { $0.hitRatio == nil } == [true, false, false, false])
        #expect(outcome.notes.count == 1)
    }

    @Test func `no cache has no hits, and one without limits misses each key once, in a sample too`() throws {
        let path = try TraceReplayTests.lirs(Self.zipf(keys: 5_000, requests: 50_000, seed: 6))
        let outcome = try Self.replay(path, [.none, .unbounded], [.share(0.2)], rate: 0.2)
        let ratios = outcome.results.compactMap(\.hitRatio)
        #expect(ratios.first == 0)
        let expected = 1 - Double(outcome.summary.keys) / Double(outcome.summary.requests)
        #expect(abs(try #require(ratios.last) - expected) < 1e-9)
    }

    @Test func `removals do not change the estimate`() throws {
        let keys = Self.zipf(keys: 5_000, requests: 50_000, seed: 7)
        let rows = keys.enumerated().map { "\($1),read\n" + ($0 % 2 == 0 ? "\($0),delete\n" : "") }.joined()
        let path = try TraceReplayTests.file("key,operation\n" + rows)
        let truth = try #require(try Self.replay(path, [.lru], [.entries(1000)], rate: 1).results.first?.hitRatio)
        let result = try #require(try Self.replay(path, [.lru], [.entries(1000)], rate: 0.3).results.first)
        #expect(abs(try #require(result.hitRatio) - truth) < 0.05)
    }
}
