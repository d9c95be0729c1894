import CacheStrategies
public import Foundation
import Locks

/// The calls of a cache that does not conform to `CacheStrategy`.
public struct CacheOperations<Key: Hashable & Sendable, Value: CacheableValue>: Sendable {
    /// Loads a key through the cache, with a fetch that returns encoded bytes.
    public typealias Load = @Sendable (Key, @escaping @Sendable () async throws -> Data) async throws -> Value

    /// The value that is held for a key.
    public var get: @Sendable (Key) async -> Value?
    /// Inserts or replaces; the last argument is the cost, which may be negative, or larger than any limit.
    public var set: @Sendable (Value, Key, Int) async -> Void
    /// Removes a key's entry, if there is one.
    public var remove: @Sendable (Key) async -> Void
    /// Loads through the cache; `nil` for a cache that does not load, whose callers look up,
    /// fetch and insert.
    public var load: Load?
    /// Removes all entries; with `nil`, each key that was used is remembered, and removed.
    public var removeAll: (@Sendable () async -> Void)?

    /// The calls of one cache.
    public init(
        get: @escaping @Sendable (Key) async -> Value?, set: @escaping @Sendable (Value, Key, Int) async -> Void,
        remove: @escaping @Sendable (Key) async -> Void,
        load: Load? = nil,
        removeAll: (@Sendable () async -> Void)? = nil
    ) {
        (self.get, self.set, self.remove, self.load, self.removeAll) = (get, set, remove, load, removeAll)
    }
}

/// A cache behind its calls, as a strategy.
final class AdaptedCache<Key: Hashable & Sendable, Value: CacheableValue>: CacheStrategy {
    private struct State {
        var keys: Set<Key> = []
        var loads: [Key: Int] = [:]
    }

    private let operations: CacheOperations<Key, Value>
    private let state = Locked(State())

    /// The kit has the declaration of the cache itself.
    static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "adapted", summary: "a cache behind its calls", role: .sound, promises: Promises(limit: .none))
    }

    init(_ operations: CacheOperations<Key, Value>) { self.operations = operations }

    /// - Throws: always: a cache is opened by its own closure.
    init(configuration: StrategyConfiguration) throws { throw CancellationError() }

    func value(forKey key: Key) async -> Value? { await operations.get(key) }

    func insert(_ value: Value, forKey key: Key, cost: Int) async {
        remember(key)
        await operations.set(value, key, cost)
    }

    func removeValue(forKey key: Key) async { await operations.remove(key) }

    /// Only a cache that can't remove everything at once needs the keys that were used.
    private func remember(_ key: Key) {
        if operations.removeAll == nil { state.withLock { _ = $0.keys.insert(key) } }
    }

    func removeAll() async {
        if let removeAll = operations.removeAll { return await removeAll() }
        for key in state.withLock({ $0.keys }) { await operations.remove(key) }
    }

    /// The outcome is the fetch that ran, or another load of the key in flight, or else a hit.
    func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        guard let load = operations.load else { return try await loadUnshared(key, fetch: fetch) }
        remember(key)
        let isShared = state.withLock { state in
            state.loads[key, default: 0] += 1
            return state.loads[key] != 1
        }
        defer { state.withLock { $0.loads[key] = $0.loads[key].flatMap { $0 > 1 ? $0 - 1 : nil } } }
        let hasFetched = Locked(false)
        let value = try await load(key) {
            hasFetched.withLock { $0 = true }
            return try await fetch()
        }
        return Loaded(value, hasFetched.withLock { $0 } ? .loaded : isShared ? .joined : .hit)
    }

    func statistics() async -> CacheStatistics { CacheStatistics() }

    func close() async {}
}
