/// An `NSCache` behind a concurrent dispatch queue: readers run in parallel, a writer runs alone.
///
/// - A read is a synchronous block on the queue. A write is an asynchronous barrier block; the writer does not wait for
///   it. A read that starts after a write has returned still sees it, because the queue is first in, first out:
///   lookups, inserts and removals are linearizable, each at the moment it enters the queue.
/// - At most 64 writes wait in the queue. When more wait, a writer waits for its own barrier block
///   and for all before it; otherwise writers that outrun the queue would pile up values without bound.
/// - Loads are not shared: callers that miss a key together fetch it together. A load is a lookup and, later, an
///   insert: it replaces what others inserted while it was fetching.
/// - The limits are those of the `NSCache`, and so is its freezing: on Linux a full one takes a new entry only when
///   that costs more than another one. `BoundedNSCache` says what is worked around and what can't be.
///
/// A read costs one or two microseconds, more while barriers are pending: it waits for all blocks before it. Callers
/// should be threads that may block. If the workers of a thread pool (dispatch queues, tasks) call it, all of them can
/// wait for a barrier that has no worker left to run on, until the pool grows a second later.
public final class BarrierNSCache<Key: Hashable & Sendable, Value: CacheableValue>: SynchronousCacheStrategy {
    @usableFromInline
    let cache: BoundedNSCache<Key, Value>
    @usableFromInline
    let queue = BarrierQueue(label: "barrier-nscache")

    /// The strategy's name, `barrier-nscache`, its limits and its promises.
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "barrier-nscache",
            summary: "NSCache behind a concurrent queue: synchronous reads, asynchronous barrier writes",
            bounds: [.entries, .cost],
            promises: Promises(
                limit: Promises.limitOfNSCache, admission: .notWhenFull,
                limitRules: LimitRules(zero: .holdsNothing)), worksInBackground: true, usesAtomics: true)
    }

    /// An empty cache with the configuration's limits.
    @inlinable
    public init(configuration: StrategyConfiguration) {
        cache = BoundedNSCache(entryLimit: configuration.entryLimit, costLimit: configuration.costLimit)
    }

    /// The value of a key, after all writes submitted before. O(1) and the wait.
    @inlinable
    public func value(forKey key: Key) -> Value? {
        let wrapped = WrappedKey(key)
        return queue.read { cache.value(forKey: wrapped) }
    }

    /// Inserts or replaces, later; every read that starts after the return sees it. A value over the cost limit is not
    /// inserted.
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) {
        let wrapped = WrappedKey(key)
        queue.write { [cache] in cache.insert(value, forKey: wrapped, cost: cost) }
    }

    /// Removes a key's entry, later; every read that starts after the return sees it.
    @inlinable
    public func removeValue(forKey key: Key) {
        let wrapped = WrappedKey(key)
        queue.write { [cache] in cache.removeValue(forKey: wrapped) }
    }

    /// Removes all entries, later; every read that starts after the return sees it. O(n).
    @inlinable
    public func removeAll() {
        queue.write { [cache] in cache.removeAll() }
    }

    /// A lookup, and on a miss a fetch and an insert; callers share nothing.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    @inlinable
    public func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadUnshared(key, fetch: fetch)
    }

    /// Waits for pending writes, then reports what is held.
    public func statistics() -> CacheStatistics {
        queue.readAlone { cache.statistics }
    }

    /// Waits for pending writes.
    public func close() {
        queue.readAlone {}
    }
}
