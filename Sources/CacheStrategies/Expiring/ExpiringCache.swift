public import Locks

/// Entries with a lifetime, a list of the keys, and saving to and restoring from a file.
///
/// ```swift
/// let cache = ExpiringCache<Int, Article>(configuration: StrategyConfiguration(timeToLive: .seconds(3600)))
/// try cache.restore(from: file)
/// …
/// try cache.save(to: file)
/// ```
///
/// - An entry inserted at time t is found before t + lifetime, and not from then on; a lookup that finds it expired
///   removes it. Time comes from `configuration.clock.now`, and so does not follow the wall clock.
/// - The lifetime is the value's; if it has none, `configuration.timeToLive`, or 12 hours.
/// - The limits are the configuration's. When it has none, at most 50 entries are held.
/// - When there is no room, expired entries are evicted first, then those that expire soonest. A value whose cost alone
///   is over the limit is not inserted; the key's older entry is still removed.
/// - Loads are not shared: callers that miss a key together fetch it together. A load inserts nothing when its key was
///   written or removed while it was in flight.
/// - ``keys`` lists exactly the keys that would be found.
///
/// The store is a dictionary and not an `NSCache`, which can't list its keys. A key list beside an `NSCache` could only
/// follow evictions through the delegate. On Linux the delegate isn't called for removals. It is called inside the
/// `NSCache`'s lock, and before an insert that evicts its own key has returned, so that the key is listed after it is
/// gone. Here the dictionary is the list, and one lock guards it. Lookups cost O(1). Inserts cost O(1), amortised,
/// while all entries live equally long and none is evicted; otherwise inserts, like removals, cost O(log n).
public final class ExpiringCache<Key: Hashable & Sendable, Value: CacheableValue>: SynchronousCacheStrategy,
    @unchecked Sendable
{
    // Sound although unchecked: `store` is touched only while `guardian` is held; the rest never changes.
    @usableFromInline
    let guardian = Lock()
    @usableFromInline
    var store: ExpiringStore<Key, Value>
    @usableFromInline
    let clock: CacheClock
    /// How long an entry lives whose value has no lifetime: the configuration's time, at least 0 and at most a hundred
    /// years.
    public let lifetime: Duration

    /// How long an entry lives when neither its value nor the configuration has a lifetime.
    public static var defaultLifetime: Duration { .seconds(12 * 60 * 60) }
    /// How many entries are held when the configuration has no limit.
    public static var defaultEntryLimit: Int { 50 }

    @usableFromInline
    typealias Node = ExpiryNode<Key, Value>

    /// The strategy's name, `expiring`, its limits and its promises.
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "expiring", summary: "entries with a lifetime, a list of keys, saving to and restoring from a file",
            bounds: [.entries, .cost],
            promises: Promises(
                timeToLive: .fixed(perEntry: true), keepsNewerWrites: true,
                limitRules: LimitRules(zero: .holdsNothing)))
    }

    /// An empty cache with the configuration's lifetime, limits and clock.
    @inlinable
    public init(configuration: StrategyConfiguration) {
        let isLimited = configuration.entryLimit != nil || configuration.costLimit != nil
        store = ExpiringStore(
            entryLimit: isLimited ? configuration.entryLimit : Self.defaultEntryLimit,
            costLimit: configuration.costLimit)
        clock = configuration.clock
        lifetime = min(max(configuration.timeToLive ?? Self.defaultLifetime, .zero), .longestLifetime)
    }

    @inlinable
    deinit { guardian.destroy() }

    /// The value of a key, unless it has expired.
    @inlinable
    public func value(forKey key: Key) -> Value? {
        let now = clock.now()
        return exclusively { store, dropped in
            store.value(forKey: key, now: now, dropped: &dropped)
        }
    }

    /// Inserts or replaces; the entry's lifetime begins now.
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) {
        let now = clock.now()
        let expiry = now + lifetime(of: value)
        exclusively { store, dropped in
            store.loads.noteWrite(to: key)
            store.insert(value, forKey: key, cost: max(cost, 0), expiry: expiry, now: now, dropped: &dropped)
        }
    }

    @inlinable
    func lifetime(of value: Value) -> Duration {
        value.lifetime.map { min(max($0, .zero), .longestLifetime) } ?? lifetime
    }

    /// Removes a key's entry, if there is one.
    @inlinable
    public func removeValue(forKey key: Key) {
        exclusively { store, dropped in
            store.loads.noteWrite(to: key)
            if let node = store.table.remove(key) { dropped.append(node) }
        }
    }

    /// Removes all entries. O(n).
    @inlinable
    public func removeAll() {
        let old = exclusively { store, _ in
            store.loads.noteRemovalOfAll()
            let old = store.table
            store.table = ExpiryTable()
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// The value of a key; assigning inserts it with its own cost, assigning `nil` removes it.
    @inlinable
    public subscript(key: Key) -> Value? {
        get { value(forKey: key) }
        set {
            if let newValue {
                insert(newValue, forKey: key, cost: newValue.cost)
            } else {
                removeValue(forKey: key)
            }
        }
    }

    /// The keys of all live entries, the one that expires first in front. O(n).
    public var keys: [Key] { liveEntries(at: clock.now()).map(\.key) }

    /// What is held, after removing expired entries. O(expired entries).
    public func statistics() -> CacheStatistics {
        let now = clock.now()
        return exclusively { store, dropped in
            store.dropExpired(now: now, into: &dropped)
            return CacheStatistics(
                entryCount: store.table.count, totalCost: store.table.totalCost, evictions: store.evictions,
                expirations: store.expirations, loadsInFlight: store.loads.count)
        }
    }
}
