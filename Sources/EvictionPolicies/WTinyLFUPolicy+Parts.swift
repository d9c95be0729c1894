extension WTinyLFU {
    /// Brings the window, and then the whole cache, within its limit.
    @inlinable
    mutating func evictExcess<Sink: EvictionSink>(_ sink: inout Sink) {
        while windowUsed > windowLimit {
            let candidate = passOnOldest()
            while budget.used > budget.limit {
                hasBeenFull = true
                let victim = table.oldest(Self.probation)
                guard victim != candidate, isMoreFrequent(candidate, than: victim) else {
                    evict(candidate, &sink)
                    break
                }
                evict(victim, &sink)
            }
        }
        while budget.used > budget.limit {
            hasBeenFull = true
            evict(oldestOutsideWindow(), &sink)
        }
    }

    /// Evicts the object that would be evicted without a candidate, even where there is room; at least one object is
    /// resident.
    @inlinable
    package mutating func evictOldest<Sink: EvictionSink>(_ sink: inout Sink) {
        evict(oldestOutsideWindow(), &sink)
    }

    /// Moves the window's least recently used object to probation.
    @inlinable
    @inline(__always)
    mutating func passOnOldest() -> UInt32 {
        let entry = table.oldest(Self.window)
        windowUsed &-= UInt64(table.charge(entry))
        table.notes[Int(entry)].queue = 1
        table.move(entry, toNewestOf: Self.probation)
        return entry
    }

    @inlinable
    @inline(__always)
    func isMoreFrequent(_ candidate: UInt32, than victim: UInt32) -> Bool {
        sketch.frequency(fingerprint(of: table.object(candidate)))
            > sketch.frequency(fingerprint(of: table.object(victim)))
    }

    /// The object that is evicted when there is no candidate; from the window only when all other parts are empty.
    @inlinable
    func oldestOutsideWindow() -> UInt32 {
        if !table.isEmpty(Self.probation) { return table.oldest(Self.probation) }
        return table.oldest(table.isEmpty(Self.protected) ? Self.window : Self.protected)
    }

    @inlinable
    package mutating func takeOut(_ entry: UInt32) {
        let charge = table.charge(entry)
        budget.subtract(charge)
        switch table.notes[Int(entry)].queue {
        case 0: windowUsed &-= UInt64(charge)
        case 1: break
        default: protectedUsed &-= UInt64(charge)
        }
        table.drop(entry)
    }

    /// Moves the least recently used objects of the protected part to probation until that part is within its limit.
    @inlinable
    mutating func demoteProtected() {
        while protectedUsed > protectedLimit {
            let entry = table.oldest(Self.protected)
            protectedUsed &-= UInt64(table.charge(entry))
            table.notes[Int(entry)].queue = 1
            table.move(entry, toNewestOf: Self.probation)
        }
    }

    /// Counts a request, and adapts the window when a sample is complete.
    @inlinable
    @inline(__always)
    mutating func noteSample() {
        climber.requests &+= 1
        if climber.requests >= climber.sampleSize(entries: period / 10) { adaptWindow() }
    }

    @inlinable
    @inline(never)
    mutating func adaptWindow() {
        let change = climber.climb(limit: budget.limit, window: windowLimit, entries: period / 10)
        if change > 0 {
            let amount = min(change.magnitude, protectedLimit)
            windowLimit += amount
            protectedLimit -= amount
            enlargeWindow()
        } else {
            let amount = min(change.magnitude, windowLimit)
            windowLimit -= amount
            protectedLimit += amount
            shrinkWindow()
        }
    }

    /// Moves the next objects that probation would evict into the window while there is room.
    @inlinable
    mutating func enlargeWindow() {
        demoteProtected()
        while !table.isEmpty(Self.probation) {
            let entry = table.oldest(Self.probation)
            let charge = UInt64(table.charge(entry))
            if windowUsed &+ charge > windowLimit { return }
            windowUsed &+= charge
            table.notes[Int(entry)].queue = 0
            table.move(entry, toNewestOf: Self.window)
        }
    }

    /// Moves the least recently used objects of the window to the end at which probation evicts next.
    @inlinable
    mutating func shrinkWindow() {
        while windowUsed > windowLimit {
            let entry = table.oldest(Self.window)
            windowUsed &-= UInt64(table.charge(entry))
            table.notes[Int(entry)].queue = 1
            table.move(entry, toOldestOf: Self.probation)
        }
    }
}
