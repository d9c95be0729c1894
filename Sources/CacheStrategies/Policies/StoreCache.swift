package import EvictionPolicies
public import Foundation

/// A cache with any eviction policy, and any way of callers to wait for each other.
///
/// ```swift
/// let cache = SIEVECache<String, Data>(configuration: StrategyConfiguration(entryLimit: 1000))
/// ```
///
/// - The policy alone decides the eviction order; `EvictionPolicies` names the paper of each. The same operations in
///   the same order give the same hits in every process. A lookup with an insert after each miss gives exactly the hits
///   of a replay, with two exceptions. LIRS remembers 3 times as many keys as it holds, where a replay remembers 2500
///   times: OLTP, 1000 entries, 318,289 hits and 318,160; in a loop far longer than the cache it is up to a fifth
///   worse. W-TinyLFU identifies keys that are not integers by a hash, and a replay by their numbers: OLTP, 1000
///   entries, 0.6 points.
/// - Both limits hold at every moment, exactly, for policies that don't divide their capacity. Under both limits at
///   once, other policies may be full before either is reached; see ``PolicyScale``. To compare policies, set one
///   limit.
/// - A value whose cost alone is over the limit is not inserted; the key's older entry is still removed, because it is
///   out of date. When a value is replaced by one of higher cost, the entry itself may be evicted for it.
/// - Loads are not shared. A load inserts nothing when its key was written or removed while it was in flight.
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
/// - A ``StableHash`` selects the shard, so that the same operations give the same hits on every machine with as many
///   cores. A client that chooses the keys can put them all into one shard, which is then as slow as one lock.
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
    typealias Shard = PolicyShard<Key, Value, Policy, Guarding.Lock>

    /// The only shard, or the first one.
    @usableFromInline
    let first: Shard
    /// All shards; empty where keys are not split.
    @usableFromInline
    let shards: ContiguousArray<Shard>
    /// The number of shards, a power of two, less 1.
    @usableFromInline
    let mask: Int
    @usableFromInline
    let hasher = KeyHasher()

    @usableFromInline
    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: Guarding.prefix + Policy.strategyName, summary: "\(Policy.strategySummary); \(Guarding.summary)",
            bounds: [.entries, .cost],
            promises: Promises(
                // A value over a shard's share is refused even when it is within the limit.
                admission: Guarding.isSharded ? .notWhenFull : Policy.admission, keepsNewerWrites: true,
                limitRules: LimitRules(zero: .holdsNothing)),
            usesAtomics: Guarding.Lock.usesAtomics)
    }

    /// An empty cache with the configuration's limits.
    @inlinable
    package convenience init(configuration: StrategyConfiguration) {
        let coreCount = Guarding.isSharded ? ProcessInfo.processInfo.activeProcessorCount : 0
        self.init(
            configuration: configuration,
            shardCount: Guarding.isSharded ? ShardShare.count(for: configuration, coreCount: coreCount) : 1)
    }

    /// An empty cache. The number of shards is rounded up to a power of two, at most 1024.
    @inlinable
    package init(configuration: StrategyConfiguration, shardCount: Int) {
        var count = 1
        while count < shardCount, count < 1024 { count *= 2 }
        mask = count - 1
        let shards = (0..<count).map { number in
            Shard(
                entryLimit: configuration.entryLimit.map { ShardShare.of($0, number, count) },
                costLimit: configuration.costLimit.map { ShardShare.of($0, number, count) })
        }
        first = shards[0]
        self.shards = ContiguousArray(shards)
    }

    @inlinable
    deinit { for shard in shards { shard.destroy() } }

    /// What selects the shard of a key: its ``StableHash``, or nothing where there is one shard.
    @inlinable
    @inline(__always)
    func place(of key: Key) -> UInt64 { Guarding.isSharded ? StableHash.of(key) : 0 }

    /// The shard of a place. The upper bits select it, because the lower ones are a policy's fingerprint.
    @inlinable
    @inline(__always)
    func shard(at place: UInt64) -> Shard {
        Guarding.isSharded ? shards[Int(truncatingIfNeeded: place >> 40) & mask] : first
    }

    @inlinable
    @inline(__always)
    func fingerprint(of key: Key, at place: UInt64) -> UInt64 {
        Guarding.isSharded ? place : Policy.needsFingerprints ? StableHash.fingerprint(of: key) : 0
    }

    @inlinable
    package func value(forKey key: Key) -> Value? {
        shard(at: place(of: key)).value(forKey: key, tag: hasher.tag(of: key))
    }

    @inlinable
    package func insert(_ value: Value, forKey key: Key, cost: Int) {
        let place = place(of: key)
        shard(at: place).insert(
            value, forKey: key, tag: hasher.tag(of: key), fingerprint: fingerprint(of: key, at: place), cost: cost)
    }

    @inlinable
    package func removeValue(forKey key: Key) {
        shard(at: place(of: key)).removeValue(forKey: key, tag: hasher.tag(of: key))
    }

    @inlinable
    package func removeAll() { for shard in shards { shard.removeAll() } }

    @inlinable
    package func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        return try await LoadRegister.load(
            key, fetch, begin: shard(at: place(of: key)).beginLoad(of:), keep: { value, _ in value }, end: endLoad)
    }

    @inlinable
    package func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        return try LoadRegister.loadBlocking(
            key, fetch, begin: shard(at: place(of: key)).beginLoad(of:), keep: { value, _ in value }, end: endLoad)
    }

    @inlinable
    func endLoad(_ ticket: LoadRegister<Key>.Ticket, _ fetched: Value?) {
        let place = place(of: ticket.key)
        shard(at: place).endLoad(
            ticket, fetched, cost: fetched?.cost ?? 0, tag: hasher.tag(of: ticket.key),
            fingerprint: fingerprint(of: ticket.key, at: place))
    }

    /// Entries, cost, evictions so far and loads in flight; removals and replacements are not evictions. The sums over
    /// the shards, each read at its own moment. O(shards).
    @usableFromInline
    package func statistics() -> CacheStatistics { ShardShare.sum(shards.map(\.statistics)) }

    /// Faults of the data structure, one line each; empty when there are none. O(n).
    package func checkInvariants() -> [String] {
        shards.enumerated().flatMap { number, shard in
            shard.checkInvariants(tag: hasher.tag(of:)).map { Guarding.isSharded ? "shard \(number): \($0)" : $0 }
        }
    }
}

extension StoreCache where Policy == LiveLRU {
    /// All keys of the first shard, the most recently used first. Doesn't count as a use. O(n).
    package func keysByRecency() -> [Key] { first.keysByRecency }
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
/// W-TinyLFU.
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
