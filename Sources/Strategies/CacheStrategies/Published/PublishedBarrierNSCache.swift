public import Dispatch
public import Foundation

/// An `NSCache` behind a concurrent dispatch queue, as it was published: readers in parallel, writers in barriers.
///
/// By its design it is the cache of bryantm1123, "Create a Thread-Safe, Generic Cache in Swift" (undated).
///
/// - A read is a synchronous block on the queue, a write an asynchronous one with the barrier flag. The writer never
///   waits, so writers that are faster than the queue pile up blocks, each with its value. ``BarrierNSCache`` limits
///   their number.
/// - The loader looks up, fetches, decodes, writes and returns. Callers that miss a key together fetch it together.
///   Bytes that don't decode are ``PublishedCacheError/undecodable(_:)`` and are not cached.
/// - There is no limit: the configuration's limits and costs are ignored.
/// - Nothing is cleaned up. On Linux, deinitialising an `NSCache` leaks its entries.
///
/// The adapter adds removals, also in barriers, and ``statistics()``, which is empty but waits for pending writes.
/// Reads and writes are O(1) and the wait.
public final class PublishedBarrierNSCache<Key: Hashable & Sendable, Value: CacheableValue>: SynchronousCacheStrategy,
    @unchecked Sendable
{
    // Sound although unchecked: `cache` is touched only in blocks on `queue`, and changed only in barriers.
    @usableFromInline
    let cache = NSCache<WrappedKey<Key>, PublishedValue<Value>>()
    @usableFromInline
    let queue = DispatchQueue(label: "published-barrier-nscache", attributes: .concurrent)

    /// The strategy's name, `published-barrier-nscache`, its limits and its promises.
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "published-barrier-nscache",
            summary: "as published: NSCache behind a concurrent queue, asynchronous barrier writes without bound",
            role: .reference,
            promises: Promises(limit: .none, admission: .notWhenFull), worksInBackground: true)
    }

    /// An empty cache without limits.
    @inlinable
    public init(configuration: StrategyConfiguration) {}

    /// The value of a key, after all writes submitted before.
    @inlinable
    public func value(forKey key: Key) -> Value? {
        let wrapped = WrappedKey(key)
        return queue.sync { cache.object(forKey: wrapped)?.value }
    }

    /// Inserts or replaces, later; every read that starts after the return sees it.
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) {
        let wrapped = WrappedKey(key)
        let object = PublishedValue(value)
        queue.async(flags: .barrier) { [self] in cache.setObject(object, forKey: wrapped) }
    }

    /// Removes a key's entry, later; every read that starts after the return sees it.
    @inlinable
    public func removeValue(forKey key: Key) {
        let wrapped = WrappedKey(key)
        queue.async(flags: .barrier) { [self] in cache.removeObject(forKey: wrapped) }
    }

    /// Removes all entries, later; every read that starts after the return sees it. O(n).
    @inlinable
    public func removeAll() {
        queue.async(flags: .barrier) { [self] in cache.removeAllObjects() }
    }

    /// A lookup, and on a miss a fetch and an insert; callers share nothing.
    ///
    /// - Throws: the error of `fetch`, or ``PublishedCacheError/undecodable(_:)``.
    @inlinable
    public func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        return Loaded(try store(try await fetch(), forKey: key), .loaded)
    }

    /// ``load(_:fetch:)`` for a caller that may block its thread.
    ///
    /// - Throws: the error of `fetch`, or ``PublishedCacheError/undecodable(_:)``.
    @inlinable
    public func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        return Loaded(try store(try fetch(), forKey: key), .loaded)
    }

    /// Empty; returns when pending writes are done.
    public func statistics() -> CacheStatistics {
        queue.sync { CacheStatistics() }
    }

    /// Decodes the fetched bytes and inserts the value.
    @inlinable
    func store(_ bytes: Data, forKey key: Key) throws -> Value {
        let value: Value
        do {
            value = try Value(encoded: bytes)
        } catch {
            throw PublishedCacheError.undecodable(error)
        }
        insert(value, forKey: key, cost: value.cost)
        return value
    }
}
