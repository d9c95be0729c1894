import Platform

extension ConcurrentSIEVECache: RespondsToMemoryPressure {
    /// A warning evicts half of each shard, in SIEVE's order; background evicts three quarters, critical pressure all.
    /// Waits for readers that still see an evicted entry, so that its memory is released when this returns. O(n).
    public func respond(to pressure: MemoryPressure) {
        guard let divisor = pressure.divisor else { return }
        for number in 0...shards.mask { shards.shards[number].giveBack(keepingOneIn: divisor) }
    }
}

extension ConcurrentShard {
    /// Evicts until one part in `divisor` is left; 0 for none. Writers wait for a few hundred evictions at the most;
    /// hits don't wait.
    func giveBack(keepingOneIn divisor: Int) {
        let (entries, cost) = locked { store, _ in
            divisor == 0 ? (0, 0) : (store.count / divisor, store.totalCost.total / UInt128(divisor))
        }
        var isShrunk = false
        while !isShrunk {
            isShrunk = locked { store, dropped in
                for _ in 0..<256 {
                    guard store.count > 0, store.count > entries || store.totalCost.total > cost else { return true }
                    _ = store.evictNext()
                }
                store.collect(&dropped, isUrgent: true)
                return false
            }
        }
        // Not for what others retire from here on, which may never end.
        let list = locked { store, _ in store.newestList }
        while !locked({ store, dropped in
            store.collect(&dropped, isUrgent: true)
            return store.hasFreed(list)
        }) { Memory.wait() }
    }

    private func locked<Answer>(_ body: (inout Store, inout Store.Dropped) -> Answer) -> Answer {
        var dropped = Store.Dropped()
        pthread_mutex_lock(mutex)
        let answer = body(&store.pointee, &dropped)
        pthread_mutex_unlock(mutex)
        withExtendedLifetime(dropped) {}
        return answer
    }
}
