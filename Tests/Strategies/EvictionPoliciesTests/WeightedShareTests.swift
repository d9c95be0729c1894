import Testing
import TrialModel

@testable import EvictionPolicies

/// Shares of a capacity in weight: a share smaller than an object must not change what a policy is.
@Suite(.timeLimit(.minutes(5)))
struct WeightedShareTests {
    private static func hits(
        _ name: String, _ capacity: PolicyCapacity, _ objects: [ObjectID], weight: (ObjectID) -> UInt64
    ) throws -> Int {
        let known = try #require(KnownPolicy.all.first { $0.name == name })
        guard case .online(let make) = known.work else { return 0 }
        var isHit = Array(repeating: false, count: objects.count)
        let requests = PolicyRequests(objects, weights: objects.map(weight))
        return make(capacity, PolicySettings(), nil)(requests, &isHit).hits
    }

    @Test(arguments: ["lirs", "clock-pro"], SyntheticTrace.allCases)
    func `with objects of one size, a capacity in bytes decides as one in entries`(
        name: String, trace: SyntheticTrace
    ) throws {
        for entries in [5, 20, 50, 100, 200, 1_000] {
            let objects = trace.objects
            let inEntries = try Self.hits(name, .entries(entries), objects) { _ in 1 }
            let inWeight = try Self.hits(name, .weight(UInt64(entries) * 4_096), objects) { _ in 4_096 }
            #expect(inWeight == inEntries, "\(entries) entries")
        }
    }

    /// From 1 to 100,000 bytes, most of them small.
    private static func size(_ object: ObjectID) -> UInt64 {
        let fraction = Double(SplitMix64.mix(UInt64(object)) >> 11) / 9_007_199_254_740_992
        return 1 + UInt64(fraction * fraction * fraction * 100_000)
    }

    @Test(arguments: ["lirs", "clock-pro"], SyntheticTrace.allCases)
    func `with objects of different sizes, a larger cache hits no less often`(
        name: String, trace: SyntheticTrace
    ) throws {
        let objects = trace.objects
        var last = 0
        for shift in 17..<25 {
            let hits = try Self.hits(name, .weight(1 << UInt64(shift)), objects, weight: Self.size)
            #expect(hits >= last - objects.count / 100, "\(1 << shift) bytes: \(hits) hits, in half as much \(last)")
            last = hits
        }
    }

    @Test(arguments: ["lirs", "clock-pro"]) func `a loop over objects of different sizes is kept in part`(
        name: String
    ) throws {
        let objects = SyntheticTrace.loop.objects
        let all = Set(objects).reduce(0) { $0 + Self.size($1) }
        let hits = try Self.hits(name, .weight(all / 2), objects, weight: Self.size)
        #expect(try Self.hits("lru", .weight(all / 2), objects, weight: Self.size) < objects.count / 100)
        #expect(hits > objects.count / 3, "\(hits) hits")
    }
}
