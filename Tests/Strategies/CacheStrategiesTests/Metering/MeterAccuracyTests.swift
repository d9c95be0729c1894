import EvictionPolicies
import Foundation
import TestTiers
import Testing
import Traces

@testable import CacheStrategies

/// Intervals against exact replays of public traces, which `CACHE_TRIALS_TRACES` names the folder of.
@Suite(
    .timeLimit(.minutes(15)),
    .enabled(
        if: TestTier.isNightly && ProcessInfo.processInfo.environment["CACHE_TRIALS_TRACES"] != nil,
        "it needs the nightly tier, and CACHE_TRIALS_TRACES"))
struct MeterAccuracyTests {
    private func keys(_ name: String) throws -> [UInt64] {
        let folder = ProcessInfo.processInfo.environment["CACHE_TRIALS_TRACES"] ?? ""
        let reader = try TraceReader(path: "\(folder)/\(name)", options: TraceReadingOptions())
        var keys: [UInt64] = []
        var block = TraceBlock()
        while try reader.read(into: &block) { keys.append(contentsOf: block.keys) }
        return keys
    }

    @Test func `nine of ten intervals contain the exact hit ratio, and the mean error is below two points`() throws {
        var (inside, all, errors) = (0, 0, 0.0)
        for name in ["web12.cache2k.xz", "multi2.lirs.gz", "sprite.lirs.gz", "2_pools.lirs.gz"] {
            let keys = try keys(name)
            let capacity = max(1_000, Set(keys).count / 5)
            let exact = misses(of: keys, capacity)
            // A sample is one draw for all sizes, so that other hashes are drawn as well.
            for salt in [UInt64(0), 0x9E37_79B9_7F4A_7C15, 0xD1B5_4A32_D192_ED03] {
                let meter = CacheMeter<UInt64>(capacity: .entries(capacity), costShare: 1)
                for (index, key) in keys.enumerated() {
                    meter.noteLookup(key ^ salt)
                    if index % 100 == 99 { meter.digest() }
                }
                let points = try #require(meter.report().sinceStart?.points)
                for (point, misses) in zip(points, exact) {
                    let distance = abs(point.hitRatio.value - (1 - Double(misses) / Double(keys.count)))
                    (inside, all, errors) = (
                        inside + (distance <= point.hitRatio.error ? 1 : 0), all + 1, errors + distance
                    )
                }
            }
        }
        #expect(Double(inside) / Double(all) >= 0.9, "\(inside) of \(all)")
        #expect(errors / Double(all) < 0.02, "\(errors / Double(all))")
    }

    /// The misses of each policy at each size, of all keys.
    private func misses(of keys: [UInt64], _ capacity: Int) -> [Int] {
        let requests = keys.map {
            MiniatureRequest(hash: StableHash.word(StableHash.of($0)), cost: 1, kind: .lookup)
        }
        return MiniaturePolicy.all.flatMap { policy in
            MeterState.multiples.map { multiple in
                let size = MeterCapacity.entries(capacity).times(multiple).units
                var misses = [UInt32](repeating: 0, count: MeterCounts.groupCount)
                policy.make(size, nil).replay(requests, misses: &misses, at: 0)
                return misses.reduce(0) { $0 + Int($1) }
            }
        }
    }
}
