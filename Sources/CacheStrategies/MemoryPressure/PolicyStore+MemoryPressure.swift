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

extension PolicyStore where Policy: ~Copyable {
    /// Evicts as much as a level of pressure requires. Other callers wait for a few hundred evictions at the most.
    ///
    /// - Parameter exclusively: runs a change of the store while no other thread uses it, and returns what it returns.
    static func respond(
        to pressure: MemoryPressure, scale: PolicyScale,
        exclusively: ((inout PolicyStore, inout Dropped) -> Bool) -> Bool
    ) {
        guard let divisor = pressure.divisor else { return }
        var empty = PolicyStore(scale: scale)
        var target: ShrinkTarget?
        while !exclusively({ store, dropped in
            if divisor == 0 {
                store.giveBackAll(to: &empty)
                return true
            }
            let least = target ?? store.target(keepingOneIn: divisor)
            target = least
            return store.shrink(to: least, most: entriesPerTurn, dropping: &dropped)
        }) {}
        // What was given back at once is released here, outside the lock.
        _ = consume empty
    }
}

extension PolicyShard where Policy: ~Copyable {
    func respond(to pressure: MemoryPressure) {
        Store.respond(to: pressure, scale: store.pointee.scale, exclusively: locked)
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

extension BarrierCache: RespondsToMemoryPressure, ReleasesInsideLock where Policy: ~Copyable {
    /// As ``StoreCache``: the caller waits for each barrier block.
    @usableFromInline
    package func respond(to pressure: MemoryPressure) {
        Store.respond(to: pressure, scale: store.pointee.scale) { body in
            queue.readAlone {
                var dropped = Store.Dropped()
                return body(&store.pointee, &dropped)
            }
        }
    }
}

extension ActorLRUCache: RespondsToMemoryPressure, ReleasesInsideLock {
    /// A warning evicts the least recently used half, background evicts three quarters, critical pressure all. No
    /// other caller is served meanwhile. O(n).
    @usableFromInline
    package func respond(to pressure: MemoryPressure) {
        Store.respond(to: pressure, scale: store.scale) { body in
            var dropped = Store.Dropped()
            return body(&store, &dropped)
        }
    }
}
