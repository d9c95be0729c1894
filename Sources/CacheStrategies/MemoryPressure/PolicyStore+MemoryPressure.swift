import EvictionPolicies

/// How far a ``PolicyStore`` shrinks.
@usableFromInline
struct ShrinkTarget {
    let entries: Int
    let cost: UInt128
}

extension PolicyStore where Policy: ~Copyable {
    /// What is left of what is held now when one part in `divisor` stays.
    func target(keepingOneIn divisor: Int) -> ShrinkTarget {
        ShrinkTarget(entries: directory.count / divisor, cost: directory.totalCost.total / UInt128(divisor))
    }

    /// Evicts in the policy's order until a target is met, or `most` entries have gone. O(most), amortised.
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

    /// Exchanges what is held for what an empty store holds. Loads in flight stay what they are.
    mutating func giveBackAll(to empty: inout PolicyStore) {
        let count = UInt64(directory.count)
        swap(&directory, &empty.directory)
        swap(&policy, &empty.policy)
        directory.evictions = empty.directory.evictions &+ count
    }
}

/// How many entries go before a cache opens its lock for others: a tenth of a millisecond of them.
private let entriesPerTurn = 256

extension PolicyShard where Policy: ~Copyable {
    /// Gives back what a level of pressure asks for. Others wait for a few hundred evictions at the most.
    func respond(to pressure: MemoryPressure) {
        guard let divisor = pressure.divisor else { return }
        guard divisor > 0 else { return giveBackAll() }
        let target = locked { store, _ in store.target(keepingOneIn: divisor) }
        while !locked({ $0.shrink(to: target, most: entriesPerTurn, dropping: &$1) }) {}
    }

    private func giveBackAll() {
        var empty = Store(scale: store.pointee.scale)
        locked { store, _ in store.giveBackAll(to: &empty) }
        // What was held ends here, outside the lock.
        _ = consume empty
    }
}

extension LRUCache: RespondsToMemoryPressure {
    /// A warning takes the half that was used least recently, the background three quarters, critical pressure all. O(n).
    public func respond(to pressure: MemoryPressure) { shard.respond(to: pressure) }
}

extension PolicyCache: RespondsToMemoryPressure where Policy: ~Copyable {
    /// A warning takes the half that the policy would evict first, the background three quarters, critical pressure all, and
    /// with it what the policy remembers. O(n).
    @usableFromInline
    package func respond(to pressure: MemoryPressure) { shard.respond(to: pressure) }
}

extension ShardedCache: RespondsToMemoryPressure where Policy: ~Copyable {
    /// That of each shard, one after the other. O(n).
    @usableFromInline
    package func respond(to pressure: MemoryPressure) { for shard in shards { shard.respond(to: pressure) } }
}

extension RWLockLRUCache: RespondsToMemoryPressure {
    /// As in ``LRUCache``. O(n).
    public func respond(to pressure: MemoryPressure) {
        guard let divisor = pressure.divisor else { return }
        guard divisor > 0 else {
            var empty = PolicyStore<Key, Value, LiveLRU>(scale: store.pointee.scale)
            locked { store, _ in store.giveBackAll(to: &empty) }
            _ = consume empty
            return
        }
        let target = locked { store, _ in store.target(keepingOneIn: divisor) }
        while !locked({ $0.shrink(to: target, most: entriesPerTurn, dropping: &$1) }) {}
    }

    private func locked<Answer>(
        _ body: (inout PolicyStore<Key, Value, LiveLRU>, inout PolicyDropped<Key, Value>) -> Answer
    ) -> Answer {
        var dropped = PolicyDropped<Key, Value>()
        guardian.lockForWriting()
        let answer = body(&store.pointee, &dropped)
        guardian.unlock()
        withExtendedLifetime(dropped) {}
        return answer
    }
}
