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

    @Test(arguments: traces) func `the hit ratio is that of sieve, but for 0.3 points`(name: String) throws {
        let trace = try NumberedTrace(path: "\(replayedTraces ?? "")/\(name)")
        for share in [100, 10] {
            let capacity = max(trace.keyCount / share, 1)
            var sieve = SIEVEPolicy(capacity: .entries(capacity))
            // As many shards as on two cores, whatever this machine has.
            let configuration = StrategyConfiguration(entryLimit: capacity)
            let cache = ConcurrentSIEVECache<Int, Number>(
                configuration: configuration, shardCount: ShardShare.count(for: configuration, coreCount: 2))
            var (expected, hits) = (0, 0)
            for id in trace.ids {
                if sieve.request(id, weight: 1) { expected += 1 }
                if cache.value(forKey: Int(id)) != nil {
                    hits += 1
                } else {
                    cache.insert(Number(0), forKey: Int(id), cost: 1)
                }
            }
            let points = 100 * Double(hits - expected) / Double(trace.ids.count)
            print("\(name), \(capacity) entries: sieve \(expected), concurrent-sieve \(hits), \(points) points")
            #expect(abs(points) <= 0.3)
        }
    }
}
