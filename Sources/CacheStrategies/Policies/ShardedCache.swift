public import Foundation

/// An eviction policy split over shards by the hash of the key: each shard has its own lock and its own policy.
///
/// - Callers wait for each other only if their keys are in one shard. There are about 4 shards for each core, but each
///   shard gets at least 128 entries and 1 MiB: a cache with lower limits than twice that is one shard.
/// - Both limits are split, and the first shards get the remainder, so that the limits hold in total at every moment.
///   Keys are not spread quite evenly, so some entries are evicted before the cache as a whole is full. A value that is
///   heavier than a shard's share is not inserted.
/// - Each shard has its own eviction order: the victim is the next one in its shard, not in the whole cache.
/// - A ``StableHash`` selects the shard, so that the same operations give the same hits on every machine with as many
///   cores. A client that chooses the keys can put them all into one shard, which is then as slow as one lock.
///
/// The rest is as in ``PolicyCache``. `removeAll` empties one shard after another: a caller may find an entry that
/// another caller inserted meanwhile.
@usableFromInline
package final class ShardedCache<Key: Hashable & Sendable, Value: CacheableValue, Policy: LivePolicy & ~Copyable>:
    SynchronousCacheStrategy
{
    @usableFromInline
    typealias Shard = PolicyShard<Key, Value, Policy>

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
            name: "sharded-\(Policy.strategyName)",
            summary: "\(Policy.strategySummary); split by key hash over shards, each behind its own lock",
            // A value over a shard's share is refused even when it is within the limit.
            bounds: [.entries, .cost],
            promises: Promises(
                admission: .notWhenFull, keepsNewerWrites: true, limitRules: LimitRules(zero: .holdsNothing)))
    }

    /// An empty cache with the configuration's limits.
    @usableFromInline
    package convenience init(configuration: StrategyConfiguration) {
        self.init(
            configuration: configuration,
            shardCount: ShardShare.count(
                for: configuration, coreCount: ProcessInfo.processInfo.activeProcessorCount))
    }

    /// An empty cache. The number of shards is rounded up to a power of two, at most 1024.
    package init(configuration: StrategyConfiguration, shardCount: Int) {
        var count = 1
        while count < shardCount, count < 1024 { count *= 2 }
        mask = count - 1
        shards = ContiguousArray(
            (0..<count).map { number in
                Shard(
                    entryLimit: configuration.entryLimit.map { ShardShare.of($0, number, count) },
                    costLimit: configuration.costLimit.map { ShardShare.of($0, number, count) })
            })
    }

    @inlinable
    deinit { for shard in shards { shard.destroy() } }

    /// The shard of a hash. The upper bits select it, because the lower ones are a policy's fingerprint.
    @inlinable
    @inline(__always)
    func shard(of hash: UInt64) -> Shard {
        shards[Int(truncatingIfNeeded: hash >> 40) & mask]
    }

    @inlinable
    package func value(forKey key: Key) -> Value? {
        shard(of: StableHash.of(key)).value(forKey: key, tag: hasher.tag(of: key))
    }

    @inlinable
    package func insert(_ value: Value, forKey key: Key, cost: Int) {
        let hash = StableHash.of(key)
        shard(of: hash).insert(value, forKey: key, tag: hasher.tag(of: key), fingerprint: hash, cost: cost)
    }

    @inlinable
    package func removeValue(forKey key: Key) {
        shard(of: StableHash.of(key)).removeValue(forKey: key, tag: hasher.tag(of: key))
    }

    @inlinable
    package func removeAll() { for shard in shards { shard.removeAll() } }

    @inlinable
    package func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        return try await LoadRegister.load(key, fetch, begin: beginLoad(of:), end: endLoad)
    }

    @inlinable
    package func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        return try LoadRegister.loadBlocking(key, fetch, begin: beginLoad(of:), end: endLoad)
    }

    @inlinable
    func beginLoad(of key: Key) -> LoadRegister<Key>.Ticket {
        shard(of: StableHash.of(key)).beginLoad(of: key)
    }

    @inlinable
    func endLoad(_ ticket: LoadRegister<Key>.Ticket, _ fetched: Value?) {
        let hash = StableHash.of(ticket.key)
        shard(of: hash).endLoad(
            ticket, fetched, cost: fetched?.cost ?? 0, tag: hasher.tag(of: ticket.key), fingerprint: hash)
    }

    /// The sums over the shards, each read at its own moment. O(shards).
    @usableFromInline
    package func statistics() -> CacheStatistics {
        ShardShare.sum(shards.map(\.statistics))
    }

    /// Faults of the data structure, one line each; empty when there are none. O(n).
    package func checkInvariants() -> [String] {
        shards.enumerated().flatMap { number, shard in
            shard.checkInvariants(tag: hasher.tag(of:)).map { "shard \(number): \($0)" }
        }
    }
}

/// LRU split over shards.
package typealias ShardedLRUCache<Key: Hashable & Sendable, Value: CacheableValue> =
    ShardedCache<Key, Value, LiveLRU>
/// S3-FIFO split over shards.
package typealias ShardedS3FIFOCache<Key: Hashable & Sendable, Value: CacheableValue> =
    ShardedCache<Key, Value, LiveS3FIFO>
