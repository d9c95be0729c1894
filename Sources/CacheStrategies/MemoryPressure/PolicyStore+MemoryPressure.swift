import EvictionPolicies

/// The size to which a ``PolicyStore`` shrinks.
@usableFromInline
struct ShrinkTarget {
    let entries: Int
    let cost: UInt128
}

extension PolicyStore where Policy: ~Copyable {
    /// The size at which one part in `divisor` of the current entries is left.
    func target(keepingOneIn divisor: Int) -> ShrinkTarget {
        ShrinkTarget(entries: directory.count / divisor, cost: directory.totalCost.total / UInt128(divisor))
    }

    /// Evicts in the policy's order until a target is met, or `most` entries are evicted. O(most), amortised.
    ///
    /// - Returns: whether the target is met.
    mutating func shrink(to target: ShrinkTarget, most: Int, dropping dropped: inout Dropped) -> Bool {
        let least = max(directory.count - most, 0)
        while directory.count > target.entries || directory.totalCost.total > target.cost {
            if directory.count <= least || directory.count == 0 { return directory.count == 0 }
            var departures = Departures()
            policy.giveBackNext(&departures)
            directory.apply(departures, &dropped)
        }
        return true
    }

    /// Exchanges all entries for those of an empty store. Loads in flight are not affected.
    mutating func giveBackAll(to empty: inout PolicyStore) {
        let count = UInt64(directory.count)
        swap(&directory, &empty.directory)
        swap(&policy, &empty.policy)
        directory.evictions = empty.directory.evictions &+ count
    }
}

/// The number of entries that are evicted before a cache releases its lock for others: a tenth of a millisecond of
/// work.
private let entriesPerTurn = 256

extension PolicyShard where Policy: ~Copyable {
    /// Evicts as much as a level of pressure requires. Other callers wait for a few hundred evictions at the most.
    func respond(to pressure: MemoryPressure) {
        guard let divisor = pressure.divisor else { return }
        guard divisor > 0 else { return giveBackAll() }
        let target = locked { store, _ in store.target(keepingOneIn: divisor) }
        while !locked({ $0.shrink(to: target, most: entriesPerTurn, dropping: &$1) }) {}
    }

    private func giveBackAll() {
        var empty = Store(scale: store.pointee.scale)
        locked { store, _ in store.giveBackAll(to: &empty) }
        // The entries are released here, outside the lock.
        _ = consume empty
    }
}

extension LRUCache: RespondsToMemoryPressure {
    /// A warning evicts the least recently used half, background evicts three quarters, critical pressure all. O(n).
    public func respond(to pressure: MemoryPressure) { shard.respond(to: pressure) }
}

extension StoreCache: RespondsToMemoryPressure where Policy: ~Copyable {
    /// A warning evicts half, in the policy's order; background evicts three quarters. Critical pressure evicts all and
    /// clears the policy's history. One shard responds after the other. O(n).
    @usableFromInline
    package func respond(to pressure: MemoryPressure) { for shard in shards { shard.respond(to: pressure) } }
}
