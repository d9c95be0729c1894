import CacheStrategies
import Conformance
import EvictionPolicies
import Foundation
import PersistentStrategies
import TestTiers
import Testing

/// A strategy, with what the conformance kit needs.
struct StrategyCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Runs one check and returns its failures.
    let failures: @Sendable (ConformanceCheck) async -> [ConformanceFailure]

    init<Strategy: CacheStrategy<String, TrackedDocument>>(_ type: Strategy.Type) {
        self.init { ConformanceKit(type) }
    }

    init<Strategy: CacheStrategy<Int, TrackedDocument>>(_ type: Strategy.Type) {
        self.init { ConformanceKit(type) }
    }

    private init<Strategy>(_ makeKit: @escaping @Sendable () -> ConformanceKit<Strategy>) {
        testDescription = "\(Strategy.declaration.name), \(Strategy.Key.self)"
        failures = { check in
            var kit = makeKit()
            kit.effort = TestTier.isNightly ? .full : .brief
            return await kit.failures(of: check)
        }
    }
}

/// What the conformance kit tests beside the strategies of the registry, whose keys are strings: other keys are hashed
/// in other ways, loads can be shared, and shards can be more than the limits would allow.
enum AllStrategies {
    /// One of each kind, and in the nightly tier all.
    static let cases = TestTier.isNightly ? all : usual

    private static let usual = [
        StrategyCase(LRUCache<Int, TrackedDocument>.self),
        StrategyCase(SharingLoads<LRUCache<String, TrackedDocument>>.self),
        StrategyCase(FourShards<String, TrackedDocument, LiveS3FIFO>.self),
    ]

    private static let all =
        usual + [
            StrategyCase(FIFOCache<Int, TrackedDocument>.self), StrategyCase(CLOCKCache<Int, TrackedDocument>.self),
            StrategyCase(SIEVECache<Int, TrackedDocument>.self), StrategyCase(S3FIFOCache<Int, TrackedDocument>.self),
            StrategyCase(TwoQueueCache<Int, TrackedDocument>.self), StrategyCase(ARCCache<Int, TrackedDocument>.self),
            StrategyCase(LFUCache<Int, TrackedDocument>.self), StrategyCase(WTinyLFUCache<Int, TrackedDocument>.self),
            StrategyCase(LIRSCache<Int, TrackedDocument>.self),
            StrategyCase(LRUBehind<ReadWriteLock, Int, TrackedDocument>.self),
            StrategyCase(ShardedLRUCache<Int, TrackedDocument>.self),
            StrategyCase(ShardedS3FIFOCache<Int, TrackedDocument>.self),
            StrategyCase(ConcurrentSIEVECache<Int, TrackedDocument>.self),
            StrategyCase(FourShards<String, TrackedDocument, LiveLRU>.self),
            StrategyCase(FourShards<Int, TrackedDocument, LiveLRU>.self),
            StrategyCase(FourShards<Int, TrackedDocument, LiveS3FIFO>.self),
            StrategyCase(SharingLoads<S3FIFOCache<String, TrackedDocument>>.self),
            StrategyCase(SharingLoads<DualCache<String, TrackedDocument>>.self),
            StrategyCase(SharingLoads<BarrierNSCache<String, TrackedDocument>>.self),
            StrategyCase(SharingLoads<ExpiringCache<String, TrackedDocument>>.self),
            StrategyCase(SharingLoads<DiskCache<String, TrackedDocument>>.self),
            StrategyCase(SharingLoads<NoCache<String, TrackedDocument>>.self),
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
