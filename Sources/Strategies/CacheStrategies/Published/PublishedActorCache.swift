public import Foundation

/// An actor with a table of loads in flight over an `NSCache` on the main actor, as it was published.
///
/// By its design it is the cache of Jacob Van Order, "Structured Concurrency Conversion (Part 3)" (2025).
///
/// - A load looks into the `NSCache`, which is a hop to the main actor. Then it awaits the task that is loading the
///   key, or starts one that fetches, decodes and puts the value into the `NSCache`.
/// - A `defer` at the top of ``load(_:fetch:)`` removes the key from the table when any caller leaves, even one that
///   only hit or only waited. So it may remove the entry of a load that is still in flight, or of a newer one, and the
///   next caller starts a second load of a key that is being loaded.
/// - A failed load fails for all callers that wait. A load is a task of its own: cancelling a caller cancels nothing,
///   and the caller keeps waiting.
/// - A load in flight brings back what was removed meanwhile, and replaces what was inserted.
/// - There is no limit: the configuration's limits and costs are ignored. Nothing is cleaned up: on Linux,
///   deinitialising an `NSCache` leaks its entries.
///
/// The published cache is a shared instance; here every trial has its own. The adapter adds inserts and removals, which
/// go directly to the `NSCache`, past the actor. Bytes that don't decode are ``PublishedCacheError/undecodable(_:)``.
/// Everything except a load is O(1) and the hop. ``ActorCache`` is the sound version.
public actor PublishedActorCache<Key: Hashable & Sendable, Value: CacheableValue>: CacheStrategy {
    @usableFromInline
    nonisolated let store = PublishedMainActorStore<Key, Value>()
    /// The task that is loading a key, unless a caller has removed it.
    @usableFromInline
    var tasks: [Key: Task<Value, any Error>] = [:]

    /// The strategy's name, `published-actor`, its limits and its promises.
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "published-actor",
            summary: "as published: an actor with a table of loads that every caller clears, NSCache on the main actor",
            role: .reference,
            promises: Promises(
                coalescesLoads: true, limit: .none, admission: .notWhenFull, keepsNewerWrites: true))
    }

    /// An empty cache without limits.
    @inlinable
    public init(configuration: StrategyConfiguration) {}

    /// The value of a key, if it is held. Does not wait for a load.
    @inlinable
    public nonisolated func value(forKey key: Key) async -> Value? {
        await store.value(forKey: key)
    }

    /// Inserts or replaces; a load in flight replaces it later.
    @inlinable
    public nonisolated func insert(_ value: Value, forKey key: Key, cost: Int) async {
        await store.insert(value, forKey: key)
    }

    /// Removes a key's entry; a load in flight brings it back.
    @inlinable
    public nonisolated func removeValue(forKey key: Key) async {
        await store.removeValue(forKey: key)
    }

    /// Removes all entries; loads in flight bring them back. O(n).
    @inlinable
    public nonisolated func removeAll() async {
        await store.removeAll()
    }

    /// The value of a key; on a miss awaits the load in the table or starts one.
    ///
    /// - Throws: the error of the shared `fetch`, or ``PublishedCacheError/undecodable(_:)``.
    @inlinable
    public func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        defer { tasks[key] = nil }
        if let value = await store.value(forKey: key) { return Loaded(value, .hit) }
        if let task = tasks[key] { return Loaded(try await task.value, .joined) }
        // Concurrent: it uses nothing of the actor, so decoding does not block the actor. The published text doesn't
        // say where its task decodes; this is the more favourable reading.
        let task = Task { @concurrent [store] in
            let bytes = try await fetch()
            let value: Value
            do {
                value = try Value(encoded: bytes)
            } catch {
                throw PublishedCacheError.undecodable(error)
            }
            await store.insert(value, forKey: key)
            return value
        }
        tasks[key] = task
        return Loaded(try await task.value, .loaded)
    }

    /// Empty: the `NSCache` can't report what it holds, and the table forgets loads that have not ended.
    public nonisolated func statistics() async -> CacheStatistics { CacheStatistics() }

    /// Does nothing: loads in flight continue.
    public nonisolated func close() async {}
}

/// The `NSCache` of a ``PublishedActorCache``, which only the main actor touches.
@MainActor
@usableFromInline
final class PublishedMainActorStore<Key: Hashable & Sendable, Value: Sendable> {
    // Sound although unsafe: every use of it is in a method of the main actor; only its initialisation is not.
    @usableFromInline
    nonisolated(unsafe) let cache = NSCache<WrappedKey<Key>, PublishedValue<Value>>()

    @usableFromInline
    nonisolated init() {}

    @inlinable
    func value(forKey key: Key) -> Value? {
        cache.object(forKey: WrappedKey(key))?.value
    }

    @inlinable
    func insert(_ value: Value, forKey key: Key) {
        cache.setObject(PublishedValue(value), forKey: WrappedKey(key))
    }

    @inlinable
    func removeValue(forKey key: Key) {
        cache.removeObject(forKey: WrappedKey(key))
    }

    @inlinable
    func removeAll() {
        cache.removeAllObjects()
    }
}
