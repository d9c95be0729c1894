public import Foundation

/// An actor that keeps a table of loads in flight, so that callers of one key share one load.
///
/// ```swift
/// let cache = ActorCache<URL, Picture>(configuration: StrategyConfiguration(costLimit: 100 << 20))
/// let picture = try await cache.load(url) { try await download(url) }.value
/// ```
///
/// - Callers that miss a key together make one fetch (single-flight). The first gets `loaded`, the others `joined`; if
///   the fetch fails, all get its error. Failed loads and bytes that don't decode are not cached.
/// - A load is a task of its own; it fetches and decodes outside the actor, with the first caller's priority. When it
///   ends it removes its own entry from the table, and no other.
/// - A fetch that loads its own key gets a ``SelfLoadError``.
/// - A caller that is cancelled leaves at once with `CancellationError`, and the load continues for the others. When
///   the last caller leaves, the load is cancelled; a later caller starts a new load and does not wait for the
///   cancelled one.
/// - An insert or removal of a key takes precedence over a load of it in flight: the callers that wait get the value
///   that was fetched for them, but it is not inserted, and later callers do not join that load.
/// - The store is an `NSCache` inside the actor: a hit is one actor hop. On the main actor, where user interfaces often
///   keep a cache, every lookup would wait for the main thread, which is a hundred times as slow.
///
/// The limits are those of the `NSCache`, and so is its freezing: on Linux a full one takes a new entry only when that
/// costs more than another one. `BoundedNSCache` says what is worked around and what can't be.
public actor ActorCache<Key: Hashable & Sendable, Value: CacheableValue>: CacheStrategy {
    @usableFromInline
    let store: BoundedNSCache<Key, Value>
    @usableFromInline
    let loads = SharedLoads<Key, Value>()

    /// The strategy's name, `actor`, its limits and its promises.
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "actor",
            summary: "an actor with a table of loads in flight over an NSCache: callers of one key share one load",
            bounds: [.entries, .cost],
            promises: Promises(
                coalescesLoads: true, limit: Promises.limitOfNSCache, admission: .notWhenFull, keepsNewerWrites: true,
                limitRules: LimitRules(zero: .holdsNothing)), usesAtomics: true)
    }

    /// An empty cache with the configuration's limits.
    @inlinable
    public init(configuration: StrategyConfiguration) {
        store = BoundedNSCache(entryLimit: configuration.entryLimit, costLimit: configuration.costLimit)
    }

    /// The value of a key, if it is held. O(1). Does not wait for a load.
    @inlinable
    public func value(forKey key: Key) -> Value? {
        store.value(forKey: WrappedKey(key))
    }

    /// Inserts or replaces; a load in flight does not overwrite it. O(1) without a cost limit, else O(n).
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) {
        loads.noteWrite(to: key)
        store.insert(value, forKey: WrappedKey(key), cost: cost)
    }

    /// Removes a key's entry; a load in flight does not bring it back. O(1).
    @inlinable
    public func removeValue(forKey key: Key) {
        loads.noteWrite(to: key)
        store.removeValue(forKey: WrappedKey(key))
    }

    /// Removes all entries; loads in flight do not bring them back. O(n).
    @inlinable
    public func removeAll() {
        loads.noteRemovalOfAll()
        store.removeAll()
    }

    /// The value of a key; on a miss joins the load in flight or starts one. O(1), and the wait for the load.
    ///
    /// - Throws: the error of the shared `fetch`, of decoding, or `CancellationError` when this caller is cancelled.
    @inlinable
    public func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        if let value = store.value(forKey: WrappedKey(key)) { return Loaded(value, .hit) }
        // A caller that won't wait for the answer must not start a fetch.
        try Task.checkCancellation()
        // Nothing has suspended since the lookup.
        let place = try loads.enter(key, since: nil, isOnThread: false)
        if place.isFirst {
            loads.start(place) {
                try Value(encoded: await fetch())
            } end: { [weak self] place, result in
                // Weak, so that a fetch that never ends does not keep an unused cache alive: the callers that wait keep
                // it alive.
                await self?.end(place, with: result)
            }
        }
        return Loaded(try await loads.wait(at: place), place.isFirst ? .loaded : .joined)
    }

    /// Ends a load: inserts its value unless the key was written or removed meanwhile, and answers the waiting callers.
    @usableFromInline
    func end(_ place: SharedLoadPlace<Key, Value>, with result: Result<Value, any Error>) {
        loads.end(place, result) { store.insert($0, forKey: WrappedKey(place.ticket.key), cost: $0.cost) }
    }

    /// Entries, cost, evictions so far, and loads in flight, including cancelled ones.
    public func statistics() -> CacheStatistics {
        var statistics = store.statistics
        statistics.loadsInFlight = loads.count
        return statistics
    }

    /// Waits until loads in flight have ended.
    public func close() async { await loads.waitUntilIdle() }
}
