import EvictionPolicies
import Foundation
import TestTiers
import Testing
import Traces

@testable import CacheStrategies
@testable import EvictionPoliciesTests

private let replayedTraces = ProcessInfo.processInfo.environment["CACHE_TRIALS_TRACES"]

/// Replays public traces through the cache and compares it with the one policy that it implements.
/// `CACHE_TRIALS_TRACES` names the traces' folder.
@Suite(.timeLimit(.minutes(15)), .enabled(if: replayedTraces != nil, "set CACHE_TRIALS_TRACES to run"))
struct ReplayedCacheTests {
    static let traces = TestTier.isNightly ? allTraces : ["sprite.lirs.gz"]
    private static let allTraces = [
        "OLTP.lis.zst", "P3.lis.zst", "sprite.lirs.gz", "web12.cache2k.xz", "cloudPhysicsIO.oracleGeneral.bin",
        "ibm_docker.keys.zst",
    ]

    // Shards do better than one queue where its hand waits near the newest entry; see the page HitsOnManyThreads.
    @Test(arguments: traces)
    func `hits are those of sieve split over as many shards, and no more than 0.3 pp fewer than of one`(
        name: String
    ) throws {
        let trace = try NumberedTrace(path: "\(replayedTraces ?? "")/\(name)")
        for share in [100, 10] {
            let capacity = max(trace.keys.count / share, 1)
            var sieve = SIEVEPolicy(capacity: .entries(capacity))
            // As many shards as on two cores, on every machine.
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
