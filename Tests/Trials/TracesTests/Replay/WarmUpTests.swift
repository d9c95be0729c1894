import EvictionPolicies
import Testing
import TrialModel

@testable import Traces

/// Requests that fill the caches and are not counted.
@Suite(.timeLimit(.minutes(5))) struct WarmUpTests {
    let folder: TraceFolder
    private let count = 3_000

    init() throws { folder = try TraceFolder() }

    /// A random trace with times, ten requests a second.
    private func trace(_ count: Int) throws -> String {
        var random = RandomSource(seed: 5, stream: 3)
        let lines = (0..<self.count).map { index in
            "\(index / 10),\(random.next(below: random.next(below: 300) + 1)),\(random.next(below: 90) + 1)\n"
        }
        return try folder.write("time,key,size\n" + lines.prefix(count).joined(), to: "first-\(count).csv")
    }

    @Test(arguments: [(WarmUp.requests(1_000), 1_000), (.share(0.25), 750), (.nanoseconds(60_000_000_000), 600)])
    func `what is counted is the whole trace without its beginning`(warmUp: WarmUp, first: Int) throws {
        // A policy that decides request by request has the hits of the beginning alone, and all others after it.
        let policies = ReplayPolicy.all.filter { $0.clairvoyant == nil }
        let capacities: [ReplayCapacity] = [.entries(20), .bytes(2_000)]
        let whole = try TraceReplay(policies: policies, capacities: capacities).run(path: trace(count)).results
        let start = try TraceReplay(policies: policies, capacities: capacities).run(path: trace(first)).results
        let outcome = try TraceReplay(policies: policies, capacities: capacities, warmUp: warmUp).run(
            path: trace(count))
        #expect(outcome.summary.warmUpRequests == first)
        for ((all, before), counted) in zip(zip(whole, start), outcome.results) {
            let label = "\(all.policy.name) at \(all.capacity)"
            #expect(counted.counts.requests == all.counts.requests - before.counts.requests, "\(label)")
            #expect(counted.counts.hits == all.counts.hits - before.counts.hits, "\(label)")
            #expect(counted.counts.bytesHit == all.counts.bytesHit - before.counts.bytesHit, "\(label)")
        }
    }

    @Test func `several sizes of LRU, and the optimum, leave out the warm-up too`() throws {
        let capacities: [ReplayCapacity] = [.entries(10), .entries(20), .entries(40), .entries(400)]
        let results = try TraceReplay(policies: [.lru, .optimal], capacities: capacities, warmUp: .requests(1_000))
            .run(path: trace(count)).results
        let keys = try TraceFolder.requests(trace(count)).map(\.key)
        // With room for all keys, each key misses once; those of the warm-up are not counted.
        let misses = Set(keys).count - Set(keys.prefix(1_000)).count
        for result in results {
            #expect(result.counts.requests == 2_000)
            if result.capacity == .entries(400) { #expect(Int(result.counts.misses) == misses) }
        }
        for (lru, optimal) in zip(results.prefix(4), results.dropFirst(4)) {
            #expect(lru.counts.hits > 0 && optimal.counts.hits >= lru.counts.hits)
        }
    }

    @Test func `bounds are those of what is counted`() throws {
        let policies = ["lfu", "optimal", "pfoo-u", "pfoo-l"].compactMap { name in
            ReplayPolicy.all.first { $0.name == name }
        }
        let path = try folder.write("key\nx\nx\nx\na\nb\na\nb\nx\n", to: "x.csv")
        let small = try TraceReplay(policies: policies, capacities: [.entries(2)], warmUp: .requests(7)).run(path: path)
        // Keeping x for the last request costs the hits of a and b, which don't count.
        #expect(small.results.map(\.counts.hits) == [1, 1, 1, 1])

        let capacities: [ReplayCapacity] = [.entries(5), .entries(60), .bytes(900), .bytes(4_000)]
        for first in [1, 1_000, 2_700] {
            let results = try TraceReplay(policies: ReplayPolicy.all, capacities: capacities, warmUp: .requests(first))
                .run(path: trace(count)).results.filter { !["none", "unbounded"].contains($0.policy.name) }
            for capacity in Set(results.map(\.capacity)) {
                let hits = results.filter { $0.capacity == capacity }.map { ($0.policy.name, $0.counts.hits) }
                let most = try #require(hits.first { $0.0 == "pfoo-l" }).1
                for (name, own) in hits { #expect(own <= most, "\(name) at \(capacity) from \(first)") }
            }
        }
    }

    @Test func `a warm-up that ends with a block is one request longer than the same less one`() throws {
        var random = RandomSource(seed: 4, stream: 3)
        let keys = (0..<40_000).map { _ in random.next(below: random.next(below: 30_000) + 1) }
        let path = try folder.write(keys.map { "\($0)\n" }.joined(), to: "long.lirs")
        let results = try [16_383, 16_384, 16_385].map { first in
            try #require(
                try TraceReplay(
                    policies: [.lru], capacities: [.entries(3_000)], sampleRate: 0.3, warmUp: .requests(first)
                ).run(path: path).results.first)
        }
        for (one, next) in zip(results, results.dropFirst()) {
            #expect(0...1 ~= one.counts.requests - next.counts.requests)
            #expect(0...1 ~= one.counts.hits - next.counts.hits)
            #expect(abs(try #require(one.hitRatio) - (try #require(next.hitRatio))) < 0.001)
        }
    }

    @Test func `a warm-up of everything, or of a time without times, is refused`() throws {
        #expect(throws: TraceError.self) {
            try TraceReplay(policies: [.lru], capacities: [.entries(5)], warmUp: .requests(count)).run(
                path: trace(count))
        }
        #expect(throws: TraceError.self) {
            try TraceReplay(policies: [.lru], capacities: [.entries(5)], warmUp: .nanoseconds(1))
                .run(path: folder.write("1\n2\n1\n", to: "a.lirs"))
        }
    }

    @Test func `a warm-up is a share, a time or a number of requests`() {
        #expect(WarmUp("20%") == .share(0.2) && WarmUp("100000") == .requests(100_000))
        #expect(WarmUp("1h") == .nanoseconds(3_600_000_000_000))
        for bad in ["", "0", "100%", "0%", "-5", "1.5", "five", "0s"] { #expect(WarmUp(bad) == nil, "\(bad)") }
    }
}
