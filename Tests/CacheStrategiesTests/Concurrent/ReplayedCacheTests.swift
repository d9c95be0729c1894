import EvictionPolicies
import Foundation
import Testing
import Traces

@testable import CacheStrategies

private let replayedTraces = ProcessInfo.processInfo.environment["CACHE_TRIALS_TRACES"]

/// Public traces through the cache, as the one policy that it follows would have them. `CACHE_TRIALS_TRACES` names their
/// folder.
@Suite(.timeLimit(.minutes(15)), .enabled(if: replayedTraces != nil, "set CACHE_TRIALS_TRACES to run"))
struct ReplayedCacheTests {
    static let traces = [
        "OLTP.lis.zst", "P3.lis.zst", "sprite.lirs.gz", "web12.cache2k.xz", "cloudPhysicsIO.oracleGeneral.bin",
        "ibm_docker.keys.zst",
    ]

    // Shards that keep to themselves do more for some traces than one queue: each has a hand of its own.
    @Test(arguments: traces)
    func `hits are those of sieve split over as many shards, and no more than 0.3 points fewer than of one`(
        name: String
    ) throws {
        let trace = try NumberedTrace(path: "\(replayedTraces ?? "")/\(name)")
        for share in [100, 10] {
            let capacity = max(trace.keyCount / share, 1)
            var sieve = SIEVEPolicy(capacity: .entries(capacity))
            // As many shards as on two cores, whatever this machine has.
            let configuration = StrategyConfiguration(entryLimit: capacity)
            let cache = ConcurrentSIEVECache<Int, Number>(
                configuration: configuration, shardCount: ShardShare.count(for: configuration, coreCount: 2))
            let split = ShardedCache<Int, Number, LiveSIEVE>(
                configuration: configuration, shardCount: cache.shards.mask + 1)
            var (expected, hits, differing) = (0, 0, 0)
            for id in trace.ids {
                let isSplitHit = split.value(forKey: Int(id)) != nil
                if !isSplitHit { split.insert(Number(0), forKey: Int(id), cost: 1) }
                if (cache.value(forKey: Int(id)) != nil) != isSplitHit { differing += 1 }
                if sieve.request(id, weight: 1) { expected += 1 }
                if isSplitHit { hits += 1 } else { cache.insert(Number(0), forKey: Int(id), cost: 1) }
            }
            let points = 100 * Double(hits - expected) / Double(trace.ids.count)
            print("\(name), \(capacity) entries: sieve \(expected), concurrent-sieve \(hits), \(points) points")
            #expect(points >= -0.3)
            #expect(differing == 0)
        }
    }
}
