public import Foundation

/// An actor with a table of loads under way over an `NSCache` on the main actor, as it was published.
///
/// - A load asks the `NSCache`, which is a hop to the main actor; then it awaits the task that is loading the key, or
///   starts one that fetches, decodes and puts the value into the `NSCache`.
/// - A `defer` at the top of ``load(_:fetch:)`` takes the key out of the table whenever any caller leaves, also one
///   that only hit or only waited. It may so remove the entry of a load that is still under way, or of a newer one, and
///   the next caller starts a second load of a key that is being loaded.
/// - A failed load fails all who wait. A load is a task of its own: cancelling a caller cancels nothing, and the caller
///   waits on.
/// - A load under way brings back what was removed meanwhile, and replaces what was inserted.
/// - There is no limit: those of the configuration are ignored, and so are costs. Nothing is cleaned up: on Linux an
///   `NSCache` that is dropped leaks its entries.
///
/// The published one is a shared instance; here every trial has its own. The adapter adds insert and removals, which
/// go to the `NSCache` alone, past the actor. Bytes that don't decode are ``PublishedCacheError/undecodable(_:)``.
/// Everything but a load is O(1) and the hop. ``ActorCache`` is the sound one.
public actor PublishedActorCache<Key: Hashable & Sendable, Value: CacheableValue>: CacheStrategy {
    @usableFromInline
    nonisolated let store = PublishedMainActorStore<Key, Value>()
    /// The task that is loading a key, as far as no caller has removed it.
    @usableFromInline
    var tasks: [Key: Task<Value, any Error>] = [:]

    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "published-actor",
            summary: "as published: an actor with a table of loads that every caller clears, NSCache on the main actor",
            role: .published,
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

    /// Inserts or replaces; a load under way replaces it later.
    @inlinable
    public nonisolated func insert(_ value: Value, forKey key: Key, cost: Int) async {
        await store.insert(value, forKey: key)
    }

    /// Removes a key's entry; a load under way brings it back.
    @inlinable
    public nonisolated func removeValue(forKey key: Key) async {
        await store.removeValue(forKey: key)
    }

    /// Removes all entries; loads under way bring them back. O(n).
    @inlinable
    public nonisolated func removeAll() async {
        await store.removeAll()
    }

    @inlinable
    public func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        defer { tasks[key] = nil }
        if let value = await store.value(forKey: key) { return Loaded(value, .hit) }
        if let task = tasks[key] { return Loaded(try await task.value, .joined) }
        // Concurrent: nothing of the actor's is used in it, so decoding does not hold the actor up. The text doesn't say
        // where its task decodes; this is the kinder reading.
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

    /// Nothing: the `NSCache` can't say what it holds, and the table forgets loads that have not ended.
    public nonisolated func statistics() async -> CacheStatistics { CacheStatistics() }

    /// Nothing: loads under way go on.
    public nonisolated func close() async {}
}

/// The `NSCache` of a ``PublishedActorCache``, which only the main actor touches.
@MainActor
@usableFromInline
final class PublishedMainActorStore<Key: Hashable & Sendable, Value: Sendable> {
    // Sound although unsafe: every use of it is in a method of the main actor; only its making is not.
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
