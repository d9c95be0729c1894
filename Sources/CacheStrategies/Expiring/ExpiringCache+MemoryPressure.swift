extension ExpiringCache: RespondsToMemoryPressure {
    /// A warning evicts the half that expires first, background evicts three quarters, critical pressure all. O(n log
    /// n).
    public func respond(to pressure: MemoryPressure) {
        guard let divisor = pressure.divisor else { return }
        let now = clock.now()
        if divisor == 0 {
            let old = exclusively { store, _ in
                let old = store.table
                store.evictions &+= UInt64(old.count)
                store.table = ExpiryTable()
                return old
            }
            return withExtendedLifetime(old) {}
        }
        let (entries, cost) = exclusively { store, _ in
            (store.table.count / divisor, store.table.totalCost / divisor)
        }
        // Other callers can take the lock between two rounds.
        var isDone = false
        while !isDone {
            isDone = exclusively { store, dropped in
                for _ in 0..<256 {
                    guard store.table.count > entries || store.table.totalCost > cost,
                        store.dropFirst(now: now, into: &dropped)
                    else { return true }
                }
                return false
            }
        }
    }
}
