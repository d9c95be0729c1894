public import EvictionPolicies
public import Foundation

/// Least recently used: when a limit is reached, the entry whose last use is longest ago goes first.
///
/// ```swift
/// let cache = LRUCache<URL, Image>(entryLimit: 1000, costLimit: 100 << 20)
/// cache.insert(image, forKey: url, cost: image.byteCount)
/// ```
///
/// - Looking up and inserting, new or not, count as use. Looking up what isn't there changes nothing.
/// - Both limits hold at every moment, to the last entry and the last unit of cost. A value whose cost alone is over the
///   limit is not inserted; the key's older entry is removed all the same, because it is out of date.
/// - Loads are not shared. A load under way while its key is written or removed inserts nothing.
/// - Everything costs O(1), `removeAll` and the end of the cache O(n). An insert allocates nothing, except when the
///   cache grows (by doubling) or when it evicts several entries at once.
/// - One lock stands around every operation. Evicted, replaced and removed values are released after it is open
///   again, so their `deinit` may take its time and may use the cache. A key's `==` runs inside the lock and must not.
/// - The order is exact: one list of all entries, moved on every hit.
///
/// It is the engine of every eviction policy here, with the policy LRU: entries are numbers in flat arrays, so that a hit
/// costs one retain of the value and none of anything else.
public final class LRUCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline
    let shard: PolicyShard<Key, Value, LiveLRU>
    @usableFromInline
    let hasher = KeyHasher()

    /// An empty cache.
    ///
    /// - Parameters:
    ///   - entryLimit: the most entries to hold; `nil` means no limit, which is 2^30 entries. A negative limit counts
    ///     as 0.
    ///   - costLimit: the most the entries' costs may add up to; `nil` means no limit, which is `Int.max`. A negative
    ///     limit counts as 0.
    @inlinable
    public init(entryLimit: Int? = nil, costLimit: Int? = nil) {
        shard = PolicyShard(entryLimit: entryLimit, costLimit: costLimit)
    }

    @inlinable
    deinit { shard.destroy() }

    /// The value of a key, which thereby becomes the newest; `nil` when the cache doesn't hold it. O(1).
    @inlinable
    public func value(forKey key: Key) -> Value? {
        shard.value(forKey: key, tag: hasher.tag(of: key))
    }

    /// Inserts a value, or replaces the one the key has; the entry becomes the newest. O(1), amortised.
    ///
    /// `cost` is what the entry counts against the cost limit. A negative cost counts as 0.
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int = 0) {
        shard.insert(value, forKey: key, tag: hasher.tag(of: key), fingerprint: 0, cost: cost)
    }

    /// Removes a key's entry, if there is one. O(1).
    @inlinable
    public func removeValue(forKey key: Key) {
        shard.removeValue(forKey: key, tag: hasher.tag(of: key))
    }

    /// Removes all entries, and gives their memory back. O(1) for other callers, O(n) for this one.
    @inlinable
    public func removeAll() { shard.removeAll() }

    /// Entries, cost, evictions so far and loads under way. Removing is not evicting, and neither is replacing.
    public func statistics() -> CacheStatistics { shard.statistics }

    /// What is wrong inside, one line for each fault, naming the values; empty when all is well. O(n).
    package func checkInvariants() -> [String] { shard.checkInvariants(tag: hasher.tag(of:)) }

    /// All keys, the one used last first. Looking is not using. O(n).
    package func keysByRecency() -> [Key] { shard.keysByRecency }
}

extension LRUCache: CacheStrategy, SynchronousCacheStrategy where Value: CacheableValue {
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "lru", summary: "least recently used, bounded by entries and by cost, behind one lock",
            bounds: [.entries, .cost],
            promises: Promises(keepsNewerWrites: true, limitRules: LimitRules(zero: .holdsNothing)))
    }

    @inlinable
    public convenience init(configuration: StrategyConfiguration) {
        self.init(entryLimit: configuration.entryLimit, costLimit: configuration.costLimit)
    }

    @inlinable
    public func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        return try await LoadRegister.load(key, fetch, begin: shard.beginLoad(of:), end: endLoad)
    }

    @inlinable
    public func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        return try LoadRegister.loadBlocking(key, fetch, begin: shard.beginLoad(of:), end: endLoad)
    }

    @inlinable
    func endLoad(_ ticket: LoadRegister<Key>.Ticket, _ fetched: Value?) {
        shard.endLoad(ticket, fetched, cost: fetched?.cost ?? 0, tag: hasher.tag(of: ticket.key), fingerprint: 0)
    }
}
