public import Foundation

/// SIEVE whose hits take no lock, and write to no cache line that other hits write to.
///
/// ```swift
/// let cache = ConcurrentSIEVECache<URL, Data>(configuration: StrategyConfiguration(entryLimit: 10_000))
/// ```
///
/// A hit announces itself in a word of its own thread, finds its entry, retains the value, and leaves. It sets the
/// entry's mark only if it is not set: for a popular entry that is once for each round of the hand. Inserts, removals
/// and evictions take a lock, one for each shard; hits continue meanwhile, also while a table grows.
///
/// Use it where many threads read what a few write. Do not use it for one thread, which gains nothing; for few entries,
/// which are one shard with one lock for writers; or where memory must be free the moment an entry is evicted: it is
/// released when no reader can see it any more.
///
/// - Every reader of a reference-counted value writes to it when it retains it, and that limits hits. Plain values,
///   such as integers, have no such limit.
/// - Both limits hold at every moment. They are split over shards as those of `sharded-lru`: a value that is heavier
///   than a shard's share is not inserted. A cost limit alone allows at most as many entries as it allows cost.
/// - Entries that were evicted, replaced or removed no longer count, but may be released later: when 32 entries or a
///   64th of a shard's entries or cost wait to be released, and older readers of the shard have left. `removeAll` waits
///   for them.
/// - The eviction order is SIEVE's, in each shard. Y. Zhang, J. Yang, Y. Yue, Y. Vigfusson, K. V. Rashmi: SIEVE is
///   Simpler than LRU: an Efficient Turn-Key Eviction Algorithm for Web Caches, NSDI 2024.
/// - Every lookup, insert and removal takes effect at one moment. `removeAll` empties one shard after another.
/// - Loads are not shared. A load inserts nothing when its key was written or removed while it was in flight, or when
///   another load of the key has inserted meanwhile.
/// - Everything costs O(1), amortised; `removeAll` and the deinitialisation O(n). Values and keys are released outside
///   the locks. A key's `==` must not use the cache.
public final class ConcurrentSIEVECache<Key: Hashable & Sendable, Value: CacheableValue>: SynchronousCacheStrategy {
    @usableFromInline
    let shards: StoreShards<ConcurrentStore<Key, Value, DirectMemory>, LockOfShard>

    /// The strategy's name, `concurrent-sieve`, its limits and its promises.
    public static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "concurrent-sieve",
            summary: "sieve whose hits take no lock; split by key hash over shards with a lock for writers each",
            // A value over a shard's share is refused even when it is within the limit.
            bounds: [.entries, .cost],
            promises: Promises(
                admission: .notWhenFull, keepsNewerWrites: true, limitRules: LimitRules(zero: .holdsNothing)),
            usesAtomics: true)
    }

    /// An empty cache with the configuration's limits.
    public init(configuration: StrategyConfiguration) { shards = StoreShards(configuration: configuration) }

    /// An empty cache with a number of shards, which is rounded up to a power of two, at most 1024.
    package init(configuration: StrategyConfiguration, shardCount: Int) {
        shards = StoreShards(configuration: configuration, shardCount: shardCount)
    }

    @inlinable
    deinit { shards.destroy() }

    /// The value of a key; marks the entry as used. Takes no lock. O(1).
    @inlinable
    public func value(forKey key: Key) -> Value? { shards.value(forKey: key) }

    /// Inserts a value, or replaces the one the key has. O(1), amortised.
    @inlinable
    public func insert(_ value: Value, forKey key: Key, cost: Int) { shards.insert(value, forKey: key, cost: cost) }

    /// Removes a key's entry, if there is one. O(1).
    @inlinable
    public func removeValue(forKey key: Key) { shards.removeValue(forKey: key) }

    /// Removes all entries, shard by shard, and gives their memory back. O(n).
    @inlinable
    public func removeAll() { shards.removeAll() }

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

    /// Entries, cost, evictions so far and loads in flight. O(shards).
    public func statistics() -> CacheStatistics { shards.statistics() }
}

extension ConcurrentSIEVECache: RespondsToMemoryPressure {
    /// A warning evicts half of each shard, in SIEVE's order; background evicts three quarters, critical pressure all.
    /// Waits for readers that still see an evicted entry, so that its memory is released when this returns. O(n).
    public func respond(to pressure: MemoryPressure) { shards.respond(to: pressure) }
}
