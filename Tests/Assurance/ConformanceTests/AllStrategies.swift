import CacheStrategies
import CacheTrialsTesting
import Conformance
import EvictionPolicies
import Foundation
import PersistentStrategies
import TestTiers
import Testing

extension CacheContract {
    /// The contract of a strategy with some type of keys; in the nightly tier its callers run for longer.
    fileprivate static func of<Strategy: CacheStrategy<String, TrackedValue>>(_ type: Strategy.Type) -> CacheContract {
        CacheContract { ConformanceKit(type).inTier }
    }

    fileprivate static func of<Strategy: CacheStrategy<Int, TrackedValue>>(_ type: Strategy.Type) -> CacheContract {
        CacheContract { ConformanceKit(type).inTier }
    }
}

extension ConformanceKit {
    fileprivate var inTier: ConformanceKit {
        var kit = self
        kit.effort = TestTier.isNightly ? .full : .brief
        return kit
    }
}

/// What the conformance kit tests beside the strategies of the registry, whose keys are strings: other keys are hashed
/// in other ways, loads can be shared, and shards can be more than the limits would allow.
enum AllStrategies {
    /// One of each kind, and in the nightly tier all.
    static let cases = TestTier.isNightly ? all : usual

    private static let usual = [
        CacheContract.of(LRUCache<Int, TrackedValue>.self),
        CacheContract.of(SharingLoads<LRUCache<String, TrackedValue>>.self),
        CacheContract.of(FourShards<String, TrackedValue, LiveS3FIFO>.self),
    ]

    private static let all =
        usual + [
            CacheContract.of(FIFOCache<Int, TrackedValue>.self), CacheContract.of(CLOCKCache<Int, TrackedValue>.self),
            CacheContract.of(SIEVECache<Int, TrackedValue>.self), CacheContract.of(S3FIFOCache<Int, TrackedValue>.self),
            CacheContract.of(TwoQueueCache<Int, TrackedValue>.self), CacheContract.of(ARCCache<Int, TrackedValue>.self),
            CacheContract.of(LFUCache<Int, TrackedValue>.self), CacheContract.of(WTinyLFUCache<Int, TrackedValue>.self),
            CacheContract.of(LIRSCache<Int, TrackedValue>.self),
            CacheContract.of(PolicyCache<Int, TrackedValue, LiveSLRU>.self),
            CacheContract.of(PolicyCache<Int, TrackedValue, LiveCAR>.self),
            CacheContract.of(PolicyCache<Int, TrackedValue, LiveS4FIFO>.self),
            CacheContract.of(PolicyCache<Int, TrackedValue, LiveClock2QPlus>.self),
            CacheContract.of(PolicyCache<Int, TrackedValue, LiveGDSF>.self),
            CacheContract.of(LRUBehind<ReadWriteLock, Int, TrackedValue>.self),
            CacheContract.of(ShardedLRUCache<Int, TrackedValue>.self),
            CacheContract.of(ShardedS3FIFOCache<Int, TrackedValue>.self),
            CacheContract.of(ConcurrentSIEVECache<Int, TrackedValue>.self),
            CacheContract.of(FourShards<String, TrackedValue, LiveLRU>.self),
            CacheContract.of(FourShards<Int, TrackedValue, LiveLRU>.self),
            CacheContract.of(FourShards<Int, TrackedValue, LiveS3FIFO>.self),
            CacheContract.of(SharingLoads<S3FIFOCache<String, TrackedValue>>.self),
            CacheContract.of(SharingLoads<DualCache<String, TrackedValue>>.self),
            CacheContract.of(SharingLoads<BarrierNSCache<String, TrackedValue>>.self),
            CacheContract.of(SharingLoads<ExpiringCache<String, TrackedValue>>.self),
            CacheContract.of(SharingLoads<DiskCache<String, TrackedValue>>.self),
            CacheContract.of(SharingLoads<NoCache<String, TrackedValue>>.self),
        ]
}

/// A cache with four shards, although its limits would allow only one.
struct FourShards<Key: Hashable & Sendable, Value: CacheableValue, Policy: LivePolicy & ~Copyable>:
    SynchronousCacheStrategy
{
    let cache: ShardedCache<Key, Value, Policy>

    static var declaration: StrategyDeclaration { ShardedCache<Key, Value, Policy>.declaration }

    init(configuration: StrategyConfiguration) {
        cache = ShardedCache(configuration: configuration, shardCount: 4)
    }

    func value(forKey key: Key) -> Value? { cache.value(forKey: key) }
    func insert(_ value: Value, forKey key: Key, cost: Int) { cache.insert(value, forKey: key, cost: cost) }
    func removeValue(forKey key: Key) { cache.removeValue(forKey: key) }
    func removeAll() { cache.removeAll() }
    func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        try await cache.load(key, fetch: fetch)
    }
    func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        try cache.loadBlocking(key, fetch: fetch)
    }
    func statistics() -> CacheStatistics { cache.statistics() }
}
