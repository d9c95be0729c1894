public import EvictionPolicies
public import Foundation

/// LRU inside an actor: every operation is a hop to it. The order, the limits and the loads are those of ``LRUCache``.
///
/// A load fetches and decodes outside of the actor.
@usableFromInline
package actor ActorLRUCache<Key: Hashable & Sendable, Value: CacheableValue>: CacheStrategy {
    @usableFromInline
    typealias Store = PolicyStore<Key, Value, LiveLRU>

    @usableFromInline
    var store: Store
    @usableFromInline
    let hasher = KeyHasher()

    @usableFromInline
    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "actor-lru", summary: "\(LiveLRU.declaration.summary); inside an actor", bounds: [.entries, .cost],
            promises: Promises(
                keepsNewerWrites: true, limitRules: LimitRules(zero: .holdsNothing), evictionOrder: .leastRecentlyUsed))
    }

    /// An empty cache with the configuration's limits.
    @inlinable
    package init(configuration: StrategyConfiguration) {
        store = Store(entryLimit: configuration.entryLimit, costLimit: configuration.costLimit)
    }

    @inlinable
    package func value(forKey key: Key) -> Value? { store.value(forKey: key, tag: hasher.tag(of: key)) }

    @inlinable
    package func insert(_ value: Value, forKey key: Key, cost: Int) {
        store.loads.noteWrite(to: key)
        put(value, key, cost: cost)
    }

    @inlinable
    func put(_ value: Value, _ key: Key, cost: Int) {
        var dropped = Store.Dropped()
        store.insert(
            value, forKey: key, tag: hasher.tag(of: key), cost: max(cost, 0), dropping: &dropped)
    }

    @inlinable
    package func removeValue(forKey key: Key) {
        var dropped = Store.Dropped()
        store.loads.noteWrite(to: key)
        store.removeValue(forKey: key, tag: hasher.tag(of: key), dropping: &dropped)
    }

    @inlinable
    package func removeAll() {
        var empty = Store(scale: store.scale)
        store.exchangeContents(with: &empty, areEvicted: false)
    }

    @inlinable
    package func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        let ticket = store.loads.begin(key)
        do {
            let value = try await Self.fetched(fetch)
            end(ticket, value)
            return Loaded(value, .loaded)
        } catch {
            end(ticket, nil)
            throw error
        }
    }

    /// Outside of the actor, so that others are served while it decodes.
    @concurrent
    @usableFromInline
    static func fetched(_ fetch: @Sendable () async throws -> Data) async throws -> Value {
        try Value(encoded: await fetch())
    }

    @inlinable
    func end(_ ticket: LoadRegister<Key>.Ticket, _ fetched: Value?) {
        guard store.loads.end(ticket, inserts: fetched != nil), let fetched else { return }
        put(fetched, ticket.key, cost: fetched.cost)
    }

    @usableFromInline
    package func statistics() -> CacheStatistics { store.statistics }

    @usableFromInline
    package func close() {
        // Nothing continues after a call.
    }
}

extension ActorLRUCache: RespondsToMemoryPressure, ReleasesInsideLock {
    /// A warning evicts the least recently used half, background evicts three quarters, critical pressure all. No
    /// other caller is served meanwhile. O(n).
    @usableFromInline
    package func respond(to pressure: MemoryPressure) { store.respond(to: pressure) }
}
