import EvictionPolicies
import Foundation
import Testing

@testable import CacheStrategies

@Suite(.timeLimit(.minutes(1)))
struct ShardedCacheTests {
    typealias Cache = ShardedCache<Int, Number, LiveLRU>

    @Test func `there are 4 shards per core, unless they would be too small`() {
        func count(_ entries: Int?, _ cost: Int?, _ cores: Int) -> Int {
            ShardShare.count(
                for: StrategyConfiguration(entryLimit: entries, costLimit: cost), coreCount: cores)
        }
        #expect(count(nil, nil, 2) == 8)
        #expect(count(nil, nil, 3) == 16)
        #expect(count(1_000_000, nil, 1000) == 256)
        #expect(count(1000, nil, 16) == 4)
        #expect(count(255, nil, 16) == 1)
        #expect(count(-1, -1, 16) == 1)
        #expect(count(nil, 3 << 20, 16) == 2)
    }

    @Test func `the limits of the shards add up to the limits`() {
        let cache = Cache(configuration: StrategyConfiguration(entryLimit: 1003, costLimit: 10_007), shardCount: 7)
        let scales = cache.shards.all.map { $0.store.pointee.scale }
        #expect(scales.count == 8)
        #expect(scales.map { $0.entryLimit ?? 0 }.reduce(0, +) == 1003)
        #expect(scales.map(\.costLimit).reduce(0, +) == 10_007)
    }

    @Test func `mutexes are in separate cache lines`() {
        let cache = Cache(configuration: StrategyConfiguration(), shardCount: 64)
        let lines = cache.shards.all.map { UInt(bitPattern: $0.lock.mutex) }
        #expect(lines.allSatisfy { $0.isMultiple(of: 128) })
        #expect(Set(lines).count == 64)
    }

    /// Keys that a stable hash, which has no secret, puts into one of 8 shards.
    private static let chosenKeys = Array((0...).lazy.filter { StableHash.of($0) >> 40 & 7 == 0 }.prefix(512))

    @Test func `a client that chooses the keys can't put them into one shard`() {
        let configuration = StrategyConfiguration(entryLimit: 1024)
        let sharded = Cache(configuration: configuration, shardCount: 8)
        let concurrent = ConcurrentSIEVECache<Int, Number>(configuration: configuration, shardCount: 8)
        for key in Self.chosenKeys {
            sharded.insert(Number(key), forKey: key, cost: 1)
            concurrent.insert(Number(key), forKey: key, cost: 1)
        }
        #expect(sharded.statistics().entryCount == 512)
        #expect(concurrent.statistics().entryCount == 512)
    }

    @Test func `keys are spread over all shards`() {
        let cache = ShardedCache<String, Number, LiveLRU>(configuration: StrategyConfiguration(), shardCount: 8)
        for number in 0..<8000 { cache.insert(Number(number), forKey: "article/2024/number-\(number)", cost: 1) }
        let counts = cache.shards.all.map { $0.locked { store, _ in store.count } }
        #expect(counts.reduce(0, +) == 8000)
        #expect(counts.allSatisfy { (850...1150).contains($0) }, "\(counts)")
    }
}
