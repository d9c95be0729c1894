package import EvictionPolicies
public import Foundation

/// A cache with any eviction policy behind one lock.
///
/// ```swift
/// let cache = SIEVECache<String, Data>(configuration: StrategyConfiguration(entryLimit: 1000))
/// ```
///
/// - What goes first is the policy's alone; each says in `EvictionPolicies` which paper it follows. The same operations
///   in the same order give the same hits in every process, and a lookup with an insert after each miss gives exactly
///   those of a replay, with two exceptions. LIRS remembers 3 times as many keys as it holds, where a replay remembers
///   2500 times: OLTP, 1000 entries, 318,289 hits and 318,160; in a loop far longer than the cache it is up to a fifth
///   worse. W-TinyLFU knows keys by a hash where they are no integers, and a replay by their numbers: OLTP, 1000
///   entries, 0.6 points.
/// - Both limits hold at every moment, exactly, for policies that don't divide their capacity. Others may be full under
///   both at once before either is reached; see ``PolicyScale``. To compare policies, give one limit.
/// - A value whose cost alone is over the limit is not inserted; the key's older entry is removed all the same, because
///   it is out of date. An entry that is replaced by a dearer value may be the one that goes for it.
/// - Loads are not shared. A load under way while its key is written or removed inserts nothing.
/// - Everything costs O(1), amortised; `removeAll` and the end of the cache O(n). Policies with ghosts keep the keys of
///   entries that have gone, up to 3 times as many as are held.
/// - Values and keys that are dropped are released after the lock is open again, so their `deinit` may take its time and
///   may use the cache. A key's `==` runs inside the lock and must not.
@usableFromInline
package final class PolicyCache<Key: Hashable & Sendable, Value: CacheableValue, Policy: LivePolicy & ~Copyable>:
    SynchronousCacheStrategy
{
    @usableFromInline
    let shard: PolicyShard<Key, Value, Policy>
    @usableFromInline
    let hasher = KeyHasher()

    @usableFromInline
    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: Policy.strategyName, summary: "\(Policy.strategySummary); behind one lock",
            bounds: [.entries, .cost],
            promises: Promises(
                admission: Policy.admission, keepsNewerWrites: true, limitRules: LimitRules(zero: .holdsNothing)))
    }

    /// An empty cache with the configuration's limits.
    @inlinable
    package init(configuration: StrategyConfiguration) {
        shard = PolicyShard(entryLimit: configuration.entryLimit, costLimit: configuration.costLimit)
    }

    @inlinable
    deinit { shard.destroy() }

    @inlinable
    package func value(forKey key: Key) -> Value? {
        shard.value(forKey: key, tag: hasher.tag(of: key))
    }

    @inlinable
    package func insert(_ value: Value, forKey key: Key, cost: Int) {
        shard.insert(
            value, forKey: key, tag: hasher.tag(of: key), fingerprint: fingerprint(of: key), cost: cost)
    }

    @inlinable
    package func removeValue(forKey key: Key) {
        shard.removeValue(forKey: key, tag: hasher.tag(of: key))
    }

    @inlinable
    package func removeAll() { shard.removeAll() }

    @inlinable
    package func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        return try await LoadRegister.load(key, fetch, begin: shard.beginLoad(of:), end: endLoad)
    }

    @inlinable
    package func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        return try LoadRegister.loadBlocking(key, fetch, begin: shard.beginLoad(of:), end: endLoad)
    }

    @inlinable
    func endLoad(_ ticket: LoadRegister<Key>.Ticket, _ fetched: Value?) {
        shard.endLoad(
            ticket, fetched, cost: fetched?.cost ?? 0, tag: hasher.tag(of: ticket.key),
            fingerprint: fingerprint(of: ticket.key))
    }

    @inlinable
    @inline(__always)
    func fingerprint(of key: Key) -> UInt64 {
        Policy.needsFingerprints ? StableHash.fingerprint(of: key) : 0
    }

    /// Entries, cost, evictions so far and loads under way. Removing is not evicting, and neither is replacing.
    @usableFromInline
    package func statistics() -> CacheStatistics { shard.statistics }

    /// What is wrong inside, one line for each fault; empty when all is well. O(n).
    package func checkInvariants() -> [String] { shard.checkInvariants(tag: hasher.tag(of:)) }
}

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
