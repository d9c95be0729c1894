import CacheStrategies
import Foundation

/// A cache whose callers suspend, behind the protocol: the built-in `actor`.
struct WrappedActor<Key: Hashable & Sendable, Value: CacheableValue>: CacheStrategy {
    private let cache: ActorCache<Key, Value>

    static var declaration: StrategyDeclaration {
        var declaration = ActorCache<Key, Value>.declaration
        declaration.name = "wrapped-actor"
        declaration.summary = "the built-in actor, wrapped"
        return declaration
    }

    init(configuration: StrategyConfiguration) throws { cache = ActorCache(configuration: configuration) }

    func value(forKey key: Key) async -> Value? { await cache.value(forKey: key) }
    func insert(_ value: Value, forKey key: Key, cost: Int) async { await cache.insert(value, forKey: key, cost: cost) }
    func removeValue(forKey key: Key) async { await cache.removeValue(forKey: key) }
    func removeAll() async { await cache.removeAll() }
    func statistics() async -> CacheStatistics { await cache.statistics() }
    func close() async { await cache.close() }

    func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await cache.load(key, fetch: fetch)
    }
}
