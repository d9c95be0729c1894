package import EvictionPolicies
public import Foundation

/// A cache with any eviction policy, and any way of callers to wait for each other.
///
/// ```swift
/// let cache = SIEVECache<String, Data>(configuration: StrategyConfiguration(entryLimit: 1000))
/// ```
///
/// - The policy alone decides the eviction order; `EvictionPolicies` names the paper of each. Without shards, the same
///   operations in the same order give the same hits in every process, except for W-TinyLFU. A lookup with an insert
///   after each miss gives exactly the hits of a replay, with two exceptions. LIRS remembers 3 times as many keys as it holds, where a replay remembers 2500
///   times: OLTP, 1000 entries, 318,289 hits and 318,160; in a loop far longer than the cache it is up to a fifth
///   worse. W-TinyLFU identifies keys by a hash, and a replay by their numbers (OLTP, 1000 entries: 0.6 points), and
///   sometimes admits a key at random.
/// - Both limits hold at every moment, exactly, for policies that don't divide their capacity. Under both limits at
///   once, other policies may be full before either is reached; see ``PolicyScale``. To compare policies, set one
///   limit. A cost limit alone allows at most as many entries as it allows cost.
/// - A value whose cost alone is over the limit is not inserted; the key's older entry is still removed, because it is
///   out of date. When a value is replaced by one of higher cost, the entry itself may be evicted for it.
/// - Loads are not shared. A load inserts nothing when its key was written or removed while it was in flight, or when
///   another load of the key has inserted meanwhile.
/// - Everything costs O(1), amortised; `removeAll` and the deinitialisation cost O(n). Policies with ghosts keep the
///   keys of evicted entries, up to 3 times as many as are held.
/// - Dropped values and keys are released after the lock, so their `deinit` may take long and may use the cache. A
///   key's `==` runs inside the lock and must not use the cache.
///
/// **Shards.** Callers wait for each other only if their keys are in one shard. There are about 4 shards for each core,
/// but each gets at least 128 entries and 1 MiB: a cache with lower limits than twice that is one shard.
///
/// - Both limits are split, and the first shards get the remainder, so that the limits hold in total at every moment.
///   Keys are not spread quite evenly, so some entries are evicted before the cache as a whole is full. A value that is
///   heavier than a shard's share is not inserted.
/// - Each shard has its own eviction order: the victim is the next one in its shard, not in the whole cache.
/// - A hash with a secret of the process selects the shard, so that a client that chooses the keys can't put them all
///   into one, which would hold no more than its share, and be as slow as one lock. Hits differ a little between two
///   processes.
/// - `removeAll` empties one shard after another: a caller may find an entry that another caller inserted meanwhile.
///
/// **A read-write lock** is shared by lookups that change nothing: a miss, and a hit of LRU's most recently used entry.
/// Every other hit moves its entry to the front of the list, and needs the lock exclusively. So most hits take two locks
/// instead of one. That is the price of the exact order, and the reason why `rwlock-lru` is no faster than `lru` unless
/// most lookups miss; the strategy is here to show it. A cache that gathers uses and applies them later could let hits
/// share the lock, but would have another order.
@usableFromInline
package final class StoreCache<
    Key: Hashable & Sendable, Value: CacheableValue, Policy: LivePolicy & ~Copyable, Guarding: Sharing
>: SynchronousCacheStrategy {
    @usableFromInline
    let shards: StoreShards<PolicyStore<Key, Value, Policy>, Guarding>

    @usableFromInline
    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: Guarding.prefix + Policy.declaration.name,
            summary: "\(Policy.declaration.summary); \(Guarding.summary)",
            bounds: [.entries, .cost],
            promises: Promises(
                // A value over a shard's share is refused even when it is within the limit.
                admission: Guarding.isSharded ? .notWhenFull : Policy.admission, keepsNewerWrites: true,
                limitRules: LimitRules(zero: .holdsNothing), evictsOnlyWhenFull: !Guarding.isSharded,
                evictionOrder: Guarding.isSharded ? nil : Policy.evictionOrder),
            usesAtomics: Guarding.Lock.usesAtomics)
    }

    /// An empty cache with the configuration's limits.
    @inlinable
    package init(configuration: StrategyConfiguration) { shards = StoreShards(configuration: configuration) }

    /// An empty cache. The number of shards is rounded up to a power of two, at most 1024.
    package init(configuration: StrategyConfiguration, shardCount: Int) {
        shards = StoreShards(configuration: configuration, shardCount: shardCount)
    }

    @inlinable
    deinit { shards.destroy() }

    @inlinable
    package func value(forKey key: Key) -> Value? { shards.value(forKey: key) }

    @inlinable
    package func insert(_ value: Value, forKey key: Key, cost: Int) { shards.insert(value, forKey: key, cost: cost) }

    @inlinable
    package func removeValue(forKey key: Key) { shards.removeValue(forKey: key) }

    @inlinable
    package func removeAll() { shards.removeAll() }

    @inlinable
    package func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        try await shards.load(key, fetch: fetch)
    }

    @inlinable
    package func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        try shards.loadBlocking(key, fetch: fetch)
    }

    /// Entries, cost, evictions so far and loads in flight; removals and replacements are not evictions. O(shards).
    @usableFromInline
    package func statistics() -> CacheStatistics { shards.statistics() }
}

extension StoreCache: RespondsToMemoryPressure where Policy: ~Copyable {
    /// A warning evicts half, in the policy's order; background evicts three quarters. Critical pressure evicts all and
    /// clears the policy's history. One shard responds after the other. O(n).
    @usableFromInline
    package func respond(to pressure: MemoryPressure) { shards.respond(to: pressure) }
}

/// A policy behind one lock.
package typealias PolicyCache<Key: Hashable & Sendable, Value: CacheableValue, Policy: LivePolicy & ~Copyable> =
    StoreCache<Key, Value, Policy, One<PthreadMutex>>
/// A policy split over shards by the hash of the key: each shard has its own lock and its own policy.
package typealias ShardedCache<Key: Hashable & Sendable, Value: CacheableValue, Policy: LivePolicy & ~Copyable> =
    StoreCache<Key, Value, Policy, LockOfShard>
/// LRU behind a lock of any kind: exactly the order of ``LRUCache``.
package typealias LRUBehind<Lock: StoreLock, Key: Hashable & Sendable, Value: CacheableValue> =
    StoreCache<Key, Value, LiveLRU, One<Lock>>

/// First in, first out.
package typealias FIFOCache<Key: Hashable & Sendable, Value: CacheableValue> = PolicyCache<Key, Value, LiveFIFO>
/// Second chance.
package typealias CLOCKCache<Key: Hashable & Sendable, Value: CacheableValue> = PolicyCache<Key, Value, LiveCLOCK>
/// SIEVE.
package typealias SIEVECache<Key: Hashable & Sendable, Value: CacheableValue> = PolicyCache<Key, Value, LiveSIEVE>
/// S3-FIFO.
package typealias S3FIFOCache<Key: Hashable & Sendable, Value: CacheableValue> = PolicyCache<Key, Value, LiveS3FIFO>
/// 2Q.
package typealias TwoQueueCache<Key: Hashable & Sendable, Value: CacheableValue> =
    PolicyCache<Key, Value, LiveTwoQueue>
/// ARC.
package typealias ARCCache<Key: Hashable & Sendable, Value: CacheableValue> = PolicyCache<Key, Value, LiveARC>
/// Least frequently used.
package typealias LFUCache<Key: Hashable & Sendable, Value: CacheableValue> = PolicyCache<Key, Value, LFUPolicy>
/// W-TinyLFU, with a secret of the process in fingerprints and in random admissions: no client can keep keys out by
/// requests for others that it has constructed.
package typealias WTinyLFUCache<Key: Hashable & Sendable, Value: CacheableValue> =
    PolicyCache<Key, Value, LiveWTinyLFU>
/// LIRS.
package typealias LIRSCache<Key: Hashable & Sendable, Value: CacheableValue> = PolicyCache<Key, Value, LiveLIRS>
/// LRU split over shards.
package typealias ShardedLRUCache<Key: Hashable & Sendable, Value: CacheableValue> =
    ShardedCache<Key, Value, LiveLRU>
/// S3-FIFO split over shards.
package typealias ShardedS3FIFOCache<Key: Hashable & Sendable, Value: CacheableValue> =
    ShardedCache<Key, Value, LiveS3FIFO>
