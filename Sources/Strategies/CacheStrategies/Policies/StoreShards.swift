public import Foundation

/// 1...n shards, of which a key's hash selects one: what every cache over a ``ShardStore`` consists of.
@usableFromInline
package struct StoreShards<Store: ShardStore & ~Copyable, Guarding: Sharing>: @unchecked Sendable {
    // Sound although unchecked: the memory of the shards changes only in `destroy`, which the only owner calls.
    @usableFromInline
    package typealias Key = Store.Key
    @usableFromInline
    package typealias Value = Store.Value
    @usableFromInline
    typealias Shard = StoreShard<Store, Guarding.Lock>

    /// The first shard, which is the only one where keys are not split.
    @usableFromInline
    let first: Shard
    @usableFromInline
    let all: UnsafeMutableBufferPointer<Shard>
    /// The number of shards, a power of two, less 1.
    @usableFromInline
    let mask: Int
    @usableFromInline
    let hasher = KeyHasher()

    /// Empty shards. ``destroy()`` must follow, once.
    ///
    /// - Parameter shardCount: where keys are split; rounded up to a power of two, at most 1024. `nil` for a number that
    ///   suits the limits and the machine.
    @usableFromInline
    package init(configuration: StrategyConfiguration, shardCount: Int? = nil) {
        let wanted = Guarding.isSharded ? shardCount ?? ShardShare.count(for: configuration) : 1
        var count = 1
        while count < wanted, count < 1024 { count *= 2 }
        mask = count - 1
        all = .allocate(capacity: count)
        for number in 0..<count {
            all.initializeElement(
                at: number,
                to: Shard(
                    entryLimit: configuration.entryLimit.map { ShardShare.of($0, number, count) },
                    costLimit: configuration.costLimit.map { ShardShare.of($0, number, count) }))
        }
        first = all[0]
    }

    /// Releases all entries and frees the memory. The shards must not be in use, and not be used afterwards. O(n).
    @inlinable
    package func destroy() {
        for shard in all { shard.destroy() }
        all.deinitialize()
        all.deallocate()
    }

    /// The shard of a key with a hash. Its upper bits select the shard, the lower ones are the tag.
    @inlinable
    @inline(__always)
    func shard(_ hash: UInt64) -> Shard {
        Guarding.isSharded ? all[Int(truncatingIfNeeded: hash >> 40) & mask] : first
    }

    @inlinable
    @inline(__always)
    package func value(forKey key: Key) -> Value? {
        let hash = hasher.hash(of: key)
        return shard(hash).value(forKey: key, tag: UInt32(truncatingIfNeeded: hash))
    }

    @inlinable
    @inline(__always)
    package func insert(_ value: Value, forKey key: Key, cost: Int) {
        let hash = hasher.hash(of: key)
        shard(hash).insert(value, forKey: key, tag: UInt32(truncatingIfNeeded: hash), cost: cost)
    }

    @inlinable
    @inline(__always)
    package func removeValue(forKey key: Key) {
        let hash = hasher.hash(of: key)
        shard(hash).removeValue(forKey: key, tag: UInt32(truncatingIfNeeded: hash))
    }

    @inlinable
    package func removeAll() { for shard in all { shard.removeAll() } }

    @usableFromInline
    package func respond(to pressure: MemoryPressure) { for shard in all { shard.respond(to: pressure) } }

    /// The sums over the shards, each read at its own moment. O(shards).
    @usableFromInline
    package func statistics() -> CacheStatistics {
        ShardShare.sum(all.map { $0.locked { store, _ in store.statistics } })
    }
}

/// Loads, which are not shared.
extension StoreShards where Store: ~Copyable, Store.Value: CacheableValue {
    @inlinable
    package func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        let hash = hasher.hash(of: key)
        let (shard, tag) = (shard(hash), UInt32(truncatingIfNeeded: hash))
        if let value = shard.value(forKey: key, tag: tag) { return Loaded(value, .hit) }
        return try await LoadRegister.load(key, fetch, begin: { shard.beginLoad(of: $0) }, keep: { value, _ in value })
        {
            shard.endLoad($0, $1, tag: tag)
        }
    }

    @inlinable
    package func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        let hash = hasher.hash(of: key)
        let (shard, tag) = (shard(hash), UInt32(truncatingIfNeeded: hash))
        if let value = shard.value(forKey: key, tag: tag) { return Loaded(value, .hit) }
        return try LoadRegister.loadBlocking(
            key, fetch, begin: { shard.beginLoad(of: $0) }, keep: { value, _ in value }
        ) {
            shard.endLoad($0, $1, tag: tag)
        }
    }
}

/// How a cache's limits are split over shards.
package enum ShardShare {
    /// The smallest share of a shard, in entries.
    package static var leastEntries: Int { 128 }
    /// The smallest share of a shard, in bytes.
    package static var leastCost: Int { 1 << 20 }

    /// The number of shards of a cache: a power of two.
    package static func count(
        for configuration: StrategyConfiguration, coreCount: Int = ProcessInfo.processInfo.activeProcessorCount
    ) -> Int {
        var count = 1
        while count < 4 * coreCount, count < 256 { count *= 2 }
        let most = min(
            max(configuration.entryLimit ?? .max, 0) / leastEntries, max(configuration.costLimit ?? .max, 0) / leastCost
        )
        while count > 1, count > most { count /= 2 }
        return count
    }

    /// A shard's share of a limit. The first shards get the remainder.
    static func of(_ limit: Int, _ number: Int, _ count: Int) -> Int {
        let limit = max(limit, 0)
        return limit / count + (number < limit % count ? 1 : 0)
    }

    /// The sums over the shards.
    static func sum(_ shards: [CacheStatistics]) -> CacheStatistics {
        var (entries, cost, evictions, loads) = (0, UInt128(0), UInt64(0), 0)
        for statistics in shards {
            entries += statistics.entryCount ?? 0
            cost += UInt128(statistics.totalCost ?? 0)
            evictions += statistics.evictions ?? 0
            loads += statistics.loadsInFlight ?? 0
        }
        return CacheStatistics(
            entryCount: entries, totalCost: Int(clamping: cost), evictions: evictions, loadsInFlight: loads)
    }
}
