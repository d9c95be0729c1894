import CacheStrategies

/// A library's cache behind the protocol. It wraps the built-in `lru`, so that a run of both shows the cost of a
/// strategy from another package.
struct WrappedLRU<Key: Hashable & Sendable, Value: CacheableValue>: SynchronousCacheStrategy {
    private let cache: LRUCache<Key, Value>

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "wrapped-lru", summary: "the built-in lru, wrapped", bounds: [.entries, .cost])
    }

    init(configuration: StrategyConfiguration) {
        cache = LRUCache(entryLimit: configuration.entryLimit, costLimit: configuration.costLimit)
    }

    func value(forKey key: Key) -> Value? { cache.value(forKey: key) }
    func insert(_ value: Value, forKey key: Key, cost: Int) { cache.insert(value, forKey: key, cost: cost) }
    func removeValue(forKey key: Key) { cache.removeValue(forKey: key) }
    func removeAll() { cache.removeAll() }
    func statistics() -> CacheStatistics { cache.statistics() }

    func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadUnshared(key, fetch: fetch)
    }
}
