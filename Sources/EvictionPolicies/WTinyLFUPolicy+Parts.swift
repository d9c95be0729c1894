extension WTinyLFU {
    /// Brings the window, and then everything, within its limit.
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

    /// Evicts the object that would go without a candidate against it, also where there is room; something is resident.
    @inlinable
    package mutating func evictOldest<Sink: EvictionSink>(_ sink: inout Sink) {
        evict(oldestOutsideWindow(), &sink)
    }

    /// Passes the window's least recently used object on to probation.
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

    /// What goes when no candidate stands against it; from the window only when nothing is elsewhere.
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

    /// Passes the least recently used of the protected part on to probation until that part is within its limit.
    @inlinable
    mutating func demoteProtected() {
        while protectedUsed > protectedLimit {
            let entry = table.oldest(Self.protected)
            protectedUsed &-= UInt64(table.charge(entry))
            table.notes[Int(entry)].queue = 1
            table.move(entry, toNewestOf: Self.probation)
        }
    }

    /// Counts a request, and changes the window when a sample is complete.
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

    /// Moves what is next to go from probation into the window while there is room.
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

    /// Moves the least recently used of the window to where probation evicts next.
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
