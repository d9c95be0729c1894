package import EvictionPolicies
public import Foundation

/// A cache with any eviction policy behind one lock.
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

    /// Entries, cost, evictions so far and loads in flight. Removals and replacements are not evictions.
    @usableFromInline
    package func statistics() -> CacheStatistics { shard.statistics }

    /// Faults of the data structure, one line each; empty when there are none. O(n).
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
