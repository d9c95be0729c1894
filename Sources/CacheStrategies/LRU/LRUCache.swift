public import Locks

/// Least recently used: when a limit is reached, the entry whose last use is longest ago goes first.
///
/// ```swift
/// let cache = LRUCache<URL, Image>(entryLimit: 1000, costLimit: 100 << 20)
/// cache.insert(image, forKey: url, cost: image.byteCount)
/// ```
///
/// - Looking up and inserting, new or not, count as use. Looking up what isn't there changes nothing.
/// - Both limits hold at every moment. A value whose cost alone is over the limit is not inserted; the key's older
///   entry is removed all the same, because it is out of date.
/// - Everything costs O(1), `removeAll` and the end of the cache O(n). An insert allocates nothing, except when the
///   cache grows (by doubling) or when it evicts several entries at once.
/// - One lock stands around every operation. Evicted, replaced and removed values are released after it is open
///   again, so their `deinit` may take its time and may use the cache. A key's `==` runs inside the lock and must not.
/// - The order is exact: one list of all entries, moved on every hit.
///
/// The hash table, the list and the entries are arrays of the cache's own; entries are numbers in them, so that a
/// hit costs one retain of the value and none of anything else.
public final class LRUCache<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    // Sound although unchecked: the memory behind `store` is touched only between `lock` and `unlock`, or by the only
    // owner in `deinit`; keys and values are Sendable; the rest never changes.
    @usableFromInline
    let guardian: Lock
    // A pointer and not a stored property, which would be checked for exclusive access on every use.
    @usableFromInline
    let store: UnsafeMutablePointer<LRUStore<Key, Value>>
    @usableFromInline
    let hasher: KeyHasher

    /// An empty cache.
    ///
    /// - Parameters:
    ///   - entryLimit: the most entries to hold; `nil` means no limit, which is 2^30 entries. A negative limit counts
    ///     as 0.
    ///   - costLimit: the most the entries' costs may add up to; `nil` means no limit, which is `Int.max`. A negative
    ///     limit counts as 0.
    @inlinable
    public init(entryLimit: Int? = nil, costLimit: Int? = nil) {
        guardian = Lock()
        store = .allocate(capacity: 1)
        store.initialize(to: LRUStore(entryLimit: entryLimit, costLimit: costLimit))
        hasher = KeyHasher()
    }

    @inlinable
    deinit {
        store.pointee.destroy()
        store.deinitialize(count: 1)
        store.deallocate()
        guardian.destroy()
    }

    /// The value of a key, which thereby becomes the newest; `nil` when the cache doesn't hold it. O(1).
    @inlinable
    public func value(forKey key: Key) -> Value? {
        let tag = hasher.tag(of: key)
        guardian.lock()
        defer { guardian.unlock() }
        let node = store.pointee.node(of: key, tag: tag)
        if node == 0 { return nil }
        store.pointee.order.moveToNewest(node)
        return store.pointee.entries[Int(node)].value
    }

    /// Inserts a value, or replaces the one the key has; the entry becomes the newest. O(1), amortised.
    ///
    /// `cost` is what the entry counts against the cost limit. A negative cost counts as 0.
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int = 0) {
        let tag = hasher.tag(of: key)
        var dropped = LRUDropped<Key, Value>()
        guardian.lock()
        store.pointee.insert(value, forKey: key, tag: tag, cost: max(cost, 0), dropping: &dropped)
        guardian.unlock()
        // Not before this line: otherwise the compiler may release at the last use, inside the lock.
        withExtendedLifetime(dropped) {}
    }

    /// Removes a key's entry, if there is one. O(1).
    @inlinable
    public func removeValue(forKey key: Key) {
        let tag = hasher.tag(of: key)
        guardian.lock()
        let node = store.pointee.node(of: key, tag: tag)
        let removed = node == 0 ? nil : store.pointee.remove(node)
        guardian.unlock()
        withExtendedLifetime(removed) {}
    }

    /// Removes all entries, and gives their memory back. O(1) for other callers, O(n) for this one.
    @inlinable
    public func removeAll() {
        guardian.lock()
        let old = store.pointee
        store.pointee = LRUStore(entryLimit: old.entryLimit, costLimit: old.costLimit)
        store.pointee.evictions = old.evictions
        guardian.unlock()
        old.destroy()
    }

    /// Entries, cost and evictions so far. Removing is not evicting, and neither is replacing.
    public func statistics() -> CacheStatistics {
        guardian.lock()
        defer { guardian.unlock() }
        return CacheStatistics(
            entryCount: store.pointee.count, totalCost: store.pointee.totalCost, evictions: store.pointee.evictions)
    }
}

extension LRUCache: CacheStrategy, SynchronousCacheStrategy where Value: CacheableValue {
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "lru", summary: "least recently used, bounded by entries and by cost, behind one lock",
            bounds: [.entries, .cost], promises: Promises(limitRules: LimitRules(zero: .holdsNothing)))
    }

    @inlinable
    public convenience init(configuration: StrategyConfiguration) {
        self.init(entryLimit: configuration.entryLimit, costLimit: configuration.costLimit)
    }
}
