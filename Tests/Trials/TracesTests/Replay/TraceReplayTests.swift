import EvictionPolicies
import Foundation
import TestTiers
import Testing
import TrialModel

@testable import Traces

/// Small traces, replayed and checked by hand or by the policies themselves.
@Suite(.timeLimit(.minutes(5)))
struct TraceReplayTests {
    static func file(_ text: String, _ name: String = "trace.csv") throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: path)
        return path.path
    }

    /// Skewed requests over 500 keys.
    static func keys(seed: UInt64, count: Int = 20_000) -> [UInt64] {
        var random = RandomSource(seed: seed, stream: 0)
        return (0..<count).map { _ in random.next(below: 1 + random.next(below: 500)) }
    }

    static func lirs(_ keys: [UInt64]) throws -> String {
        try file(keys.map { "\($0)\n" }.joined(), "trace.lirs")
    }

    @Test func `requests, hits and bytes are those of a cache worked out by hand`() throws {
        // Two entries, LRU: a b miss, a hits, c evicts b, b misses and evicts a, c hits.
        let path = try Self.file("key,size\na,10\nb,20\na,10\nc,30\nb,20\nc,30\n")
        let outcome = try TraceReplay(policies: [.lru], capacities: [.entries(2)]).run(path: path)
        let counts = try #require(outcome.results.first?.counts)
        #expect(counts.requests == 6 && counts.hits == 2)
        #expect(counts.bytesRequested == 120 && counts.bytesHit == 40)
        #expect(outcome.results.map(\.hitRatio) == [counts.hitRatio] && outcome.results.map(\.hitRatioError) == [nil])
        #expect(outcome.summary.keys == 3)
        #expect(outcome.summary.uniqueBytes == 60)
    }

    @Test func `a size in bytes honours the objects' sizes`() throws {
        let path = try Self.file("key,size\na,60\nb,60\na,60\nb,60\n")
        let results = try TraceReplay(policies: [.lru], capacities: [.bytes(100), .bytes(120)]).run(path: path).results
        #expect(results.map(\.counts.hits) == [0, 2])
    }

    @Test func `a removal is not a request, and a removed key misses`() throws {
        let path = try Self.file("key,operation\na,read\na,delete\na,read\na,read\n")
        let results = try TraceReplay(policies: [.lru, .arc], capacities: [.entries(5)]).run(path: path).results
        for result in results {
            #expect(result.counts.requests == 3)
            #expect(result.counts.hits == 1)
        }
    }

    /// All policies in the nightly tier.
    static let usual: [ReplayPolicy] = TestTier.isNightly ? ReplayPolicy.all : [.lru, .arc, .s3FIFO, .optimal]

    @Test(arguments: usual)
    func `many sizes at once, on several threads, give the result of each alone`(policy: ReplayPolicy) throws {
        // Objects of one size, and then of many.
        let rows = Self.keys(seed: 3).enumerated().map { "\($1),\($0 < 9_000 ? 7 : $1 % 90 + 1)\n" }.joined()
        let path = try Self.file("key,size\n" + rows)
        let sizes = [1, 10, 50, 200, 1000].map { ReplayCapacity.entries($0) }
        let together = try TraceReplay(policies: [policy, .lru], capacities: sizes, jobs: 3).run(path: path).results
        for (size, result) in zip(sizes, together) {
            let alone = try TraceReplay(policies: [policy], capacities: [size]).run(path: path).results
            #expect(alone.map(\.counts) == [result.counts])
        }
    }

    @Test func `the optimum misses least, and a cache without limits misses each key once`() throws {
        let path = try Self.lirs(Self.keys(seed: 4))
        let outcome = try TraceReplay(policies: ReplayPolicy.all, capacities: [.share(0.1)]).run(path: path)
        let misses = Dictionary(uniqueKeysWithValues: outcome.results.map { ($0.policy, $0.counts.misses) })
        let best = try #require(misses[.optimal])
        let least = try #require(outcome.results.first { $0.policy.name == "pfoo-l" }?.counts.misses)
        for (policy, count) in misses where policy != .unbounded {
            // The other bounds may refuse keys, which the optimum of Belady may not.
            #expect(count >= (policy.name.hasPrefix("pfoo") ? least : best), "\(policy.name)")
        }
        #expect(misses[.unbounded] == UInt64(outcome.summary.keys))
        #expect(misses[.none] == 20_000)
    }

    @Test func `the optimum in bytes is not known, and a note says so`() throws {
        let path = try Self.file("key,size\na,60\nb,60\na,60\nb,60\n")
        let outcome = try TraceReplay(policies: [.optimal, .lru], capacities: [.bytes(50)]).run(path: path)
        #expect(outcome.results.map(\.policy) == [.lru])
        #expect(outcome.notes.count == 1)
    }

    @Test func `a size in bytes needs a trace with sizes, and a trace with an error gives no result`() throws {
        let path = try Self.lirs([1, 2, 1])
        let error = #expect(throws: TraceError.self) {
            try TraceReplay(policies: [.lru], capacities: [.bytes(50)]).run(path: path)
        }
        #expect(error?.description.contains("no sizes") == true)
        let damaged = try Self.file("key,size\na,10\nb,twenty\n")
        let other = #expect(throws: TraceError.self) {
            try TraceReplay(policies: [.lru], capacities: [.entries(2)]).run(path: damaged)
        }
        #expect(other?.line == 3)
    }

    @Test func `the optimum does not keep a key that is removed before its next request`() throws {
        // One entry: with the removal, b is the one to keep.
        let path = try Self.file("key,operation\na,read\nb,read\na,delete\na,read\nb,read\n")
        let outcome = try TraceReplay(policies: [.optimal, .unbounded], capacities: [.entries(2)]).run(path: path)
        #expect(outcome.results.map(\.counts.hits) == [1, 1])
        #expect(outcome.results.map(\.counts.requests) == [4, 4])
        #expect(outcome.summary.requests == 4 && outcome.summary.removals == 1)
    }

    @Test func `an optimum that was not requested is left out when the trace is too long for it`() throws {
        let path = try Self.lirs(Self.keys(seed: 8, count: 1000))
        let replay = TraceReplay(
            policies: [.lru, .optimal], capacities: [.entries(5)], optimumRequestCountMax: 999)
        let outcome = try replay.run(path: path)
        #expect(outcome.results.map(\.policy) == [.lru])
        #expect(outcome.notes.count == 1)
    }

    @Test func `removals are not lookups in a description either`() throws {
        let path = try Self.file("key,operation\na,read\na,delete\nb,delete\na,read\n")
        let description = try TraceDescription(path: path)
        #expect(description.summary.requests == 2 && description.summary.removals == 2)
        #expect(description.firstRequests == 1)
        #expect(description.topKeyShare == 1)
    }

    @Test func `a cancelled task gives no result`() async throws {
        let path = try Self.lirs(Self.keys(seed: 9))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try TraceReplay(policies: [.lru], capacities: [.entries(5)]).run(path: path)
        }
        let error = await #expect(throws: TraceError.self) { try await task.value }
        #expect(error?.reason == .interrupted)
    }

    @Test func `a description has the counts made by hand`() throws {
        let path = try Self.file("1\n2\n1\n3\n1\n2\n", "trace.lirs")
        let description = try TraceDescription(path: path)
        #expect(description.summary.requests == 6)
        #expect(description.summary.keys == 3)
        #expect(description.oneHitWonders == 1)
        #expect(description.firstRequests == 3)
        #expect(description.topKeyShare == 0.5)
        // 1 after 2, 1 after 3: one other key each; 2 after 1 and 3: two.
        #expect(description.reuseDistances.map(\.requests) == [0, 2, 1])
    }

    @Test func `the working set of each tenth is its different keys`() throws {
        var keys: [UInt64] = []
        for tenth in 0..<10 {
            for index in 0..<10 { keys.append(UInt64(tenth * 100 + index % (tenth + 1))) }
        }
        let description = try TraceDescription(path: Self.lirs(keys))
        #expect(description.workingSets == Array(1...10))
    }

    @Test func `the exponent of a Zipf distribution is found`() throws {
        let keys = (1...2000).flatMap { rank in [UInt64](repeating: UInt64(rank), count: 20_000 / rank) }
        let description = try TraceDescription(path: Self.lirs(keys))
        #expect(abs(try #require(description.zipfExponent) - 1) < 0.05)
    }
}
