public import Foundation

/// All ``ConcurrentShard``s and the choice of a key's shard: ``ConcurrentSIEVECache`` without its conformance.
@usableFromInline
package struct ConcurrentShards<Key: Hashable & Sendable, Value: CacheableValue, Memory: ReaderMemory>:
    @unchecked Sendable
{
    // Sound although unchecked: the array never changes before `destroy`, which only the last owner calls.
    @usableFromInline
    typealias Shard = ConcurrentShard<Key, Value, Memory>

    @usableFromInline
    let shards: UnsafeMutablePointer<Shard>
    /// The number of shards, a power of two, less 1.
    @usableFromInline
    let mask: Int
    @usableFromInline
    let hasher = KeyHasher()

    /// Empty shards. Their number is rounded up to a power of two, at most 1024. ``destroy()`` must follow, once.
    @usableFromInline
    package init(configuration: StrategyConfiguration, shardCount: Int) {
        var count = 1
        while count < shardCount, count < 1024 { count *= 2 }
        mask = count - 1
        shards = .allocate(capacity: count)
        for number in 0..<count {
            (shards + number).initialize(
                to: Shard(
                    entryLimit: configuration.entryLimit.map { ShardShare.of($0, number, count) },
                    costLimit: configuration.costLimit.map { ShardShare.of($0, number, count) }))
        }
    }

    /// Releases all entries and gives the memory back. The shards must not be in use, and not be used afterwards. O(n).
    @usableFromInline
    package func destroy() {
        for number in 0...mask { shards[number].destroy() }
        shards.deallocate()
    }

    /// The shard of a key.
    @inlinable
    @inline(__always)
    func shard(of key: Key) -> Shard { shards[Int(truncatingIfNeeded: StableHash.of(key) >> 40) & mask] }

    @inlinable
    @inline(__always)
    package func value(forKey key: Key) -> Value? { shard(of: key).value(forKey: key, tag: hasher.tag(of: key)) }

    @inlinable
    package func insert(_ value: Value, forKey key: Key, cost: Int) {
        shard(of: key).insert(value, forKey: key, tag: hasher.tag(of: key), cost: cost)
    }

    @inlinable
    package func removeValue(forKey key: Key) { shard(of: key).removeValue(forKey: key, tag: hasher.tag(of: key)) }

    @inlinable
    package func removeAll() { for number in 0...mask { shards[number].removeAll() } }

    @inlinable
    package func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        return try await LoadRegister.load(
            key, fetch, begin: shard(of: key).beginLoad(of:), keep: { value, _ in value }, end: endLoad)
    }

    @inlinable
    package func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        return try LoadRegister.loadBlocking(
            key, fetch, begin: shard(of: key).beginLoad(of:), keep: { value, _ in value }, end: endLoad)
    }

    @inlinable
    func endLoad(_ ticket: LoadRegister<Key>.Ticket, _ fetched: Value?) {
        shard(of: ticket.key).endLoad(ticket, fetched, cost: fetched?.cost ?? 0, tag: hasher.tag(of: ticket.key))
    }

    /// The sums over the shards, each read at its own moment. O(shards).
    package func statistics() -> CacheStatistics { ShardShare.sum((0...mask).map { shards[$0].statistics }) }

    /// Faults of the data structure, one line each; empty when there are none. O(n).
    package func checkInvariants() -> [String] {
        (0...mask).flatMap { number in
            shards[number].checkInvariants(tag: hasher.tag(of:)).map { "shard \(number): \($0)" }
        }
    }
}
