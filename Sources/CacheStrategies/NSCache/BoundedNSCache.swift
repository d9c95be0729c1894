public import Foundation

/// An `NSCache` of Swift keys and values, with limits, without those of its traps that can be avoided.
///
/// Workarounds, all for behaviour seen on Linux (swift-corelibs-foundation of Swift 6.3):
///
/// - Deinitialising an `NSCache` leaks every entry; this empties it first.
/// - A limit of 0 means "none" there; here it means that nothing is held.
/// - The sum of costs overflows and traps when costs are huge; here costs and the cost limit are clamped.
/// - A value that alone is over the cost limit evicts everything; here it is not inserted.
/// - Entries are kept in a list sorted by cost, which an insert walks: n inserts of rising cost take O(n²). Without a
///   cost limit every cost is passed as 0 here, which makes all inserts O(1). With a cost limit they stay O(n).
/// - The delegate is called inside the `NSCache`'s lock and isn't called for removals; it is never set here.
///
/// What can't be worked around: a full `NSCache` on Linux evicts the *cheapest* entry, and among equals the *newest*,
/// used or not. A new entry that costs no more than the rest is evicted by its own insert: the cache is frozen, and
/// once the popular keys change, its hit ratio falls to 0 for good. Darwin's `NSCache` evicts the oldest, but keeps its
/// limits loosely and may evict at any time. On both, an insert releases the entries that it evicts inside the
/// `NSCache`'s lock, so a value's `deinit` must not use the cache.
///
/// Reading is safe from any thread at any time. Writes and ``statistics`` need a caller that serialises them, because
/// they count.
@usableFromInline
final class BoundedNSCache<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    // Sound although unchecked: `NSCache` locks itself and its limits are set before any other thread has it;
    // `evictions` is touched only by writers and `statistics`, which callers serialise.
    @usableFromInline
    let cache = NSCache<WrappedKey<Key>, WrappedValue<Value>>()
    @usableFromInline
    let totals = HeldTotals()
    /// The most entries; `Int.max` when there is no limit.
    @usableFromInline
    let entryLimit: Int
    /// The most bytes; `nil` when there is no limit.
    @usableFromInline
    let costLimit: Int?
    @usableFromInline
    var evictions: UInt64 = 0

    /// A cost limit above this counts as this, so that the cost of a full cache and one more entry stays below
    /// `Int.max`.
    @usableFromInline
    static var costLimitMax: Int { Int.max / 2 }

    /// An empty cache. Negative limits count as 0; `nil` means no limit.
    @inlinable
    init(entryLimit: Int?, costLimit: Int?) {
        self.entryLimit = entryLimit.map { max($0, 0) } ?? .max
        self.costLimit = costLimit.map { min(max($0, 0), Self.costLimitMax) }
        cache.countLimit = self.entryLimit == .max ? 0 : self.entryLimit
        cache.totalCostLimit = self.costLimit ?? 0
    }

    @inlinable
    deinit {
        cache.removeAllObjects()
    }

    /// The entry of a key, if it is held. O(1).
    @inlinable
    func entry(forKey key: WrappedKey<Key>) -> WrappedValue<Value>? {
        cache.object(forKey: key)
    }

    /// The value of a key, if it is held. O(1).
    @inlinable
    func value(forKey key: WrappedKey<Key>) -> Value? {
        cache.object(forKey: key)?.value
    }

    /// Inserts or replaces; the key's older entry is removed in any case. O(1) without a cost limit, else O(n).
    ///
    /// - Returns: the new entry when it is held, `nil` when the cache refused it.
    @inlinable
    @discardableResult
    func insert(_ value: Value, forKey key: WrappedKey<Key>, cost: Int) -> WrappedValue<Value>? {
        let cost = max(cost, 0)
        guard entryLimit > 0, cost <= costLimit ?? .max else {
            cache.removeObject(forKey: key)
            return nil
        }
        let mayEvict = isFull(for: cost)
        let replaces = mayEvict && cache.object(forKey: key) != nil
        let countBefore = totals.entryCount - (replaces ? 1 : 0)
        var entry = WrappedValue(value, cost: cost, totals: totals)
        cache.setObject(entry, forKey: key, cost: costLimit == nil ? 0 : cost)
        guard mayEvict else { return entry }

        evictions += UInt64(max(countBefore + 1 - totals.entryCount, 0))
        // The entry itself was counted, because this function holds it. If it was evicted at once, nothing else holds
        // it. A second lookup would cost half an insert.
        guard isKnownUniquelyReferenced(&entry) else { return entry }
        evictions += 1
        return nil
    }

    /// Removes the entry of a key, if it is held. O(1).
    @inlinable
    func removeValue(forKey key: WrappedKey<Key>) {
        cache.removeObject(forKey: key)
    }

    /// Removes everything. O(n).
    @inlinable
    func removeAll() {
        cache.removeAllObjects()
    }

    /// Removes everything under memory pressure; the entries count as evicted. O(n).
    @usableFromInline
    func giveBackAll() {
        evictions += UInt64(max(totals.entryCount, 0))
        cache.removeAllObjects()
    }

    /// The held entries, including those that a caller of ``entry(forKey:)`` still has. Evictions are those that
    /// inserts caused; Darwin's own are missing.
    @usableFromInline
    var statistics: CacheStatistics {
        CacheStatistics(entryCount: totals.entryCount, totalCost: totals.totalCost, evictions: evictions)
    }

    /// Whether one more entry could evict another.
    @inlinable
    func isFull(for cost: Int) -> Bool {
        if totals.entryCount >= entryLimit { return true }
        guard let costLimit else { return false }
        return totals.totalCost > costLimit - cost
    }
}
