extension LIRS {
    /// The queue of entries that are neither resident nor in S. They wait here because a lookup has no sink to report
    /// forgotten objects to.
    @usableFromInline static var loose: UInt32 { @inlinable get { 1 } }

    /// Pushes an entry onto the top of S.
    @inlinable
    @inline(__always)
    mutating func pushOnStack(_ entry: UInt32) {
        table.link(entry, before: 0)
        table.notes[Int(entry)].state |= Self.inStack
        stackCount &+= 1
    }

    @inlinable
    @inline(__always)
    mutating func unlinkFromStack(_ entry: UInt32) {
        if entry == firstCandidate { firstCandidate = table.newer(entry) }
        table.unlink(entry)
        table.notes[Int(entry)].state &= ~Self.inStack
        stackCount &-= 1
    }

    @inlinable
    @inline(__always)
    mutating func moveToTop(_ entry: UInt32) {
        if entry == firstCandidate { firstCandidate = table.newer(entry) }
        table.move(entry, toNewestOf: 0)
    }

    /// Removes HIR objects from the old end of S until a LIR object is there.
    @inlinable
    mutating func prune() {
        while true {
            let oldest = table.oldest(0)
            if oldest == 0 || table.notes[Int(oldest)].state & Self.lir != 0 { return }
            takeOffStack(oldest)
        }
    }

    /// Removes a HIR object from S; a ghost then has no place any more.
    @inlinable
    @inline(__always)
    mutating func takeOffStack(_ entry: UInt32) {
        unlinkFromStack(entry)
        makeLoose(entry)
    }

    /// Queues an entry to be forgotten, unless it is resident.
    @inlinable
    @inline(__always)
    mutating func makeLoose(_ entry: UInt32) {
        // Every entry outside S is either in a ring by itself or in the queue of loose entries.
        if table.notes[Int(entry)].state & Self.resident != 0 {
            table.linkAlone(entry)
        } else {
            table.link(entry, before: Self.loose)
        }
    }

    /// Keeps S within its limit by removing the oldest HIR objects.
    @inlinable
    @inline(__always)
    mutating func limitStack() {
        if stackCount > stackCapacity { shortenStack() }
    }

    /// The maximum number of entries in S. All LIR objects always fit.
    @inlinable
    @inline(__always)
    var stackCapacity: Int { stackLimit &* max(budget.count, 1) }

    @inlinable
    @inline(never)
    mutating func shortenStack() {
        while stackCount > stackCapacity {
            if firstCandidate == 0 { firstCandidate = table.oldest(0) }
            while table.notes[Int(firstCandidate)].state & Self.lir != 0 {
                firstCandidate = table.newer(firstCandidate)
            }
            if firstCandidate != 0 { takeOffStack(firstCandidate) }
        }
    }

    @inlinable
    @inline(__always)
    func unlinkFromQ(_ entry: UInt32) {
        let place = table.notes[Int(entry)]
        table.notes[Int(place.olderInQ)].newerInQ = place.newerInQ
        table.notes[Int(place.newerInQ)].olderInQ = place.olderInQ
    }

    /// Makes an entry the newest of Q.
    @inlinable
    @inline(__always)
    func linkIntoQ(_ entry: UInt32) {
        let newest = table.notes[0].olderInQ
        table.notes[Int(entry)].newerInQ = 0
        table.notes[Int(entry)].olderInQ = newest
        table.notes[Int(newest)].newerInQ = entry
        table.notes[0].olderInQ = entry
    }

    /// Makes a resident object LIR that is on top of S and not in Q; old LIR objects are demoted for it.
    @inlinable
    @inline(__always)
    mutating func makeLIR(_ entry: UInt32) {
        table.notes[Int(entry)].state |= Self.lir
        lirUsed &+= UInt64(table.charge(entry))
        demoteExcess()
    }

    /// Moves the oldest LIR objects to Q until LIR is within its share.
    @inlinable
    @inline(__always)
    mutating func demoteExcess() {
        while lirUsed > lirLimit { demoteOldest() }
    }

    @inlinable
    mutating func demoteOldest() {
        let oldest = table.oldest(0)
        lirUsed &-= UInt64(table.charge(oldest))
        table.notes[Int(oldest)].state &= ~Self.lir
        takeOffStack(oldest)
        linkIntoQ(oldest)
        prune()
    }

    /// Evicts the oldest object of Q. If it is in S, it stays there as a ghost.
    @inlinable
    mutating func evictOldest<Sink: EvictionSink>(_ sink: inout Sink) {
        if table.notes[0].newerInQ == 0 { demoteOldest() }
        let entry = table.notes[0].newerInQ
        unlinkFromQ(entry)
        budget.subtract(table.charge(entry))
        table.notes[Int(entry)].state &= ~Self.resident
        if entry == last { last = 0 }
        sink.evicted(table.object(entry))
        if table.notes[Int(entry)].state & Self.inStack == 0 { makeLoose(entry) }
    }

    /// Forgets the entries that are neither resident nor in S.
    @inlinable
    @inline(__always)
    mutating func forgetLoose<Sink: EvictionSink>(_ sink: inout Sink) {
        while !table.isEmpty(Self.loose) {
            let entry = table.oldest(Self.loose)
            sink.forgotten(table.object(entry))
            table.drop(entry)
        }
    }
}
