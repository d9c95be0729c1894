public import Foundation
public import Synchronization

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

/// A key as the object that an `NSCache` needs: equal when the keys are equal.
///
/// It never bridges to `NSString` or `NSURL`. On Linux two strings that are canonically equal can have different
/// `NSString` hashes, so that a lookup would succeed only by chance; Swift's own hash and equality agree.
@usableFromInline
final class WrappedKey<Key: Hashable & Sendable>: NSObject, Sendable {
    @usableFromInline
    let key: Key

    @inlinable
    init(_ key: Key) {
        self.key = key
    }

    @inlinable
    override var hash: Int { key.hashValue }

    @inlinable
    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? WrappedKey<Key> else { return false }
        return other.key == key
    }
}

/// A value with its cost, as the object that an `NSCache` holds.
///
/// It adds itself to the totals for as long as it lives, because an `NSCache` can't report what it holds.
@usableFromInline
final class WrappedValue<Value: Sendable>: Sendable {
    @usableFromInline
    let value: Value
    @usableFromInline
    let cost: Int
    @usableFromInline
    let totals: HeldTotals

    /// Wraps a value. `cost` must not be negative.
    @inlinable
    init(_ value: Value, cost: Int, totals: HeldTotals) {
        self.value = value
        self.cost = cost
        self.totals = totals
        totals.add(cost: cost)
    }

    @inlinable
    deinit {
        totals.subtract(cost: cost)
    }
}

/// The number of living wrapped values, and their costs.
///
/// Atomic, because a reader may be the last to release a value that was evicted meanwhile. The numbers equal those of
/// the cache while no caller is reading. Costs are added in two halves, so that no sum of them wraps around.
@usableFromInline
final class HeldTotals: Sendable {
    @usableFromInline
    let count = Atomic<Int>(0)
    /// The sum of the lower 32 bits of all costs, and the sum of their upper bits.
    @usableFromInline
    let lowCost = Atomic<Int>(0)
    @usableFromInline
    let highCost = Atomic<Int>(0)

    @inlinable
    init() {}

    @inlinable
    var entryCount: Int { count.load(ordering: .relaxed) }

    /// The sum of the costs, or `Int.max` if it is more.
    @inlinable
    var totalCost: Int {
        let low = lowCost.load(ordering: .relaxed)
        let (high, overflows) = highCost.load(ordering: .relaxed).multipliedReportingOverflow(by: 1 << 32)
        let (sum, exceeds) = high.addingReportingOverflow(low)
        return overflows || exceeds ? .max : sum
    }

    @inlinable
    func add(cost added: Int) {
        count.wrappingAdd(1, ordering: .relaxed)
        lowCost.wrappingAdd(added & 0xFFFF_FFFF, ordering: .relaxed)
        if added >> 32 != 0 { highCost.wrappingAdd(added >> 32, ordering: .relaxed) }
    }

    @inlinable
    func subtract(cost subtracted: Int) {
        count.wrappingSubtract(1, ordering: .relaxed)
        lowCost.wrappingSubtract(subtracted & 0xFFFF_FFFF, ordering: .relaxed)
        if subtracted >> 32 != 0 { highCost.wrappingSubtract(subtracted >> 32, ordering: .relaxed) }
    }
}
