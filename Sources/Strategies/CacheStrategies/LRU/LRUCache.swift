public import EvictionPolicies
public import Foundation

/// Least recently used: when a limit is reached, the entry whose last use is longest ago is evicted first.
///
/// ```swift
/// let cache = LRUCache<URL, Image>(entryLimit: 1000, costLimit: 100 << 20)
/// cache.insert(image, forKey: url, cost: image.byteCount)  // or without a cost, if it is a CacheableValue
/// ```
///
/// - Lookups that hit and all inserts count as use. A lookup that misses changes nothing.
/// - Both limits hold at every moment, to the last entry and the last unit of cost. A value whose cost alone is over
///   the limit is not inserted; the key's older entry is still removed, because it is out of date.
/// - Loads are not shared. A load inserts nothing when its key was written or removed while it was in flight, or when
///   another load of the key has inserted meanwhile.
/// - Everything costs O(1); `removeAll` and the deinitialisation cost O(n). An insert allocates nothing, except when
///   the cache grows (by doubling) or when it evicts several entries at once.
/// - One lock guards every operation. Evicted, replaced and removed values are released after the lock, so their
///   `deinit` may take long and may use the cache. A key's `==` runs inside the lock and must not use the cache.
/// - The order is exact: one list of all entries, updated at every hit.
///
/// It is the engine of every eviction policy here, with the policy LRU: entries are numbers in flat arrays, so that a
/// hit costs one retain of the value and no other retain.
public final class LRUCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline
    let shards: StoreShards<PolicyStore<Key, Value, LiveLRU>, One<PthreadMutex>>

    /// An empty cache.
    ///
    /// - Parameters:
    ///   - entryLimit: the most entries to hold. `nil` means no limit, which is 2^30 entries; but at most as many as the
    ///     cost limit allows cost, so that entries without cost are limited as well. A negative limit counts as 0.
    ///   - costLimit: the most the entries' costs may add up to; `nil` means no limit, which is `Int.max`. A negative
    ///     limit counts as 0.
    @inlinable
    public init(entryLimit: Int? = nil, costLimit: Int? = nil) {
        shards = StoreShards(configuration: StrategyConfiguration(entryLimit: entryLimit, costLimit: costLimit))
    }

    @inlinable
    deinit { shards.destroy() }

    /// The value of a key, which becomes the most recently used; `nil` when the cache doesn't hold it. O(1).
    @inlinable
    public func value(forKey key: Key) -> Value? { shards.value(forKey: key) }

    /// Inserts a value, or replaces the one the key has; the entry becomes the most recently used. O(1), amortised.
    ///
    /// `cost` is what the entry counts towards the cost limit. A negative cost counts as 0.
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) {
        shards.insert(value, forKey: key, cost: cost)
    }

    /// Removes a key's entry, if there is one. O(1).
    @inlinable
    public func removeValue(forKey key: Key) { shards.removeValue(forKey: key) }

    /// Removes all entries, and frees their memory. O(1) for other callers, O(n) for this one.
    @inlinable
    public func removeAll() { shards.removeAll() }

    /// Entries, cost, evictions so far and loads in flight. Removals and replacements are not evictions.
    public func statistics() -> CacheStatistics { shards.statistics() }
}

extension LRUCache: CacheStrategy, SynchronousCacheStrategy where Value: CacheableValue {
    /// The strategy's name, `lru`, its limits and its promises.
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "lru", summary: "least recently used, bounded by entries and by cost, behind one lock",
            bounds: [.entries, .cost],
            promises: Promises(
                keepsNewerWrites: true, limitRules: LimitRules(zero: .holdsNothing), evictionOrder: .leastRecentlyUsed))
    }

    /// Inserts a value with its own cost, or replaces the one the key has. O(1), amortised.
    @inlinable
    public func insert(_ value: Value, forKey key: Key) { insert(value, forKey: key, cost: value.cost) }

    /// An empty cache with the configuration's limits.
    @inlinable
    public convenience init(configuration: StrategyConfiguration) {
        self.init(entryLimit: configuration.entryLimit, costLimit: configuration.costLimit)
    }

    /// A lookup, and on a miss a fetch and an insert; callers share nothing.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    @inlinable
    public func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        try await shards.load(key, fetch: fetch)
    }

    /// ``load(_:fetch:)`` for a caller that may block its thread.
    ///
    /// - Throws: the error of `fetch` or of decoding.
    @inlinable
    public func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        try shards.loadBlocking(key, fetch: fetch)
    }
}

extension LRUCache: RespondsToMemoryPressure {
    /// A warning evicts the least recently used half, background evicts three quarters, critical pressure all. O(n).
    public func respond(to pressure: MemoryPressure) { shards.respond(to: pressure) }
}
