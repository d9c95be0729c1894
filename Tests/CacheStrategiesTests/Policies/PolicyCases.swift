import CacheStrategies
import Conformance
import EvictionPolicies
import Foundation

/// The strategies with eviction policies that the conformance kit tests, each with keys that are hashed in two ways.
enum PolicyCases {
    static let all: [StrategyCase] =
        both(LiveFIFO.self) + both(LiveCLOCK.self) + both(LiveSIEVE.self) + both(LiveS3FIFO.self)
        + both(LiveTwoQueue.self) + both(LiveARC.self) + both(LFUPolicy.self) + both(LiveWTinyLFU.self)
        + both(LiveLIRS.self)
        + pair(ConformanceKit(RWLockLRUCache<String, TrackedDocument>.self)) {
            ConformanceKit(RWLockLRUCache<Int, TrackedDocument>.self)
        }
        + sharded(LiveLRU.self) + sharded(LiveS3FIFO.self)
        + pair(ConformanceKit(ConcurrentSIEVECache<String, TrackedDocument>.self)) {
            ConformanceKit(ConcurrentSIEVECache<Int, TrackedDocument>.self)
        }

    private static func pair<Text: CacheStrategy<String, TrackedDocument>, Number: CacheStrategy<Int, TrackedDocument>>(
        _ text: @autoclosure @escaping @Sendable () -> ConformanceKit<Text>,
        _ number: @escaping @Sendable () -> ConformanceKit<Number>
    ) -> [StrategyCase] {
        [StrategyCase(Text.self) { text() }, StrategyCase(Number.self) { number() }]
    }

    private static func both<Policy: LivePolicy & ~Copyable>(_ type: Policy.Type) -> [StrategyCase] {
        pair(ConformanceKit(PolicyCache<String, TrackedDocument, Policy>.self)) {
            ConformanceKit(PolicyCache<Int, TrackedDocument, Policy>.self)
        }
    }

    /// As many shards as the limits allow, and four shards regardless of the limits.
    private static func sharded<Policy: LivePolicy & ~Copyable>(_ type: Policy.Type) -> [StrategyCase] {
        pair(ConformanceKit(ShardedCache<String, TrackedDocument, Policy>.self)) {
            ConformanceKit(ShardedCache<Int, TrackedDocument, Policy>.self)
        }
            + pair(ConformanceKit(FourShards<String, TrackedDocument, Policy>.self)) {
                ConformanceKit(FourShards<Int, TrackedDocument, Policy>.self)
            }
    }
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
