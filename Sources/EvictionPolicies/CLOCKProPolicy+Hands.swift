extension CLOCKPro {
    /// Evicts the object of HANDcold, which becomes a ghost if it is in its test period.
    @inlinable
    package mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
        let entry = turnCold(&sink)
        unlinkCold(entry)
        if entry == last { last = 0 }
        budget.subtract(table.charge(entry))
        sink.evicted(table.object(entry))
        guard table.notes[Int(entry)].state & Self.inTest != 0 else {
            sink.forgotten(table.object(entry))
            table.drop(entry)
            return
        }
        table.notes[Int(entry)].state = Self.inTest
        ghostUsed &+= UInt64(table.charge(entry))
        while ghostUsed > ghostLimit { endOldestTest(&sink) }
    }

    /// Moves HANDcold to an object that is not used. Those before it become hot or begin another test period. At least
    /// one object is resident.
    @inlinable
    mutating func turnCold<Sink: EvictionSink>(_ sink: inout Sink) -> UInt32 {
        while true {
            let entry = table.notes[0].newerCold
            if entry == 0 {
                demoteOne(&sink)
                continue
            }
            if table.notes[Int(entry)].state & Self.used == 0 { return entry }
            let isHot = canPromote(entry, charge: table.charge(entry), &sink)
            unlinkCold(entry)
            place(entry, hot: isHot)
            stopAtHot(&sink)
        }
    }

    /// Puts a resident object at the head of the list, as a hot one or as a cold one whose test period begins.
    @inlinable
    mutating func place(_ entry: UInt32, hot isHot: Bool) {
        unlist(entry)
        table.link(entry, before: 0)
        table.notes[Int(entry)].state = Self.resident | (isHot ? Self.hot : Self.inTest)
        if isHot { hotUsed &+= UInt64(table.charge(entry)) } else { linkCold(entry) }
    }

    /// Whether a cold object that was used may become hot: it must be in its test period, and HANDhot finds room.
    @inlinable
    mutating func canPromote<Sink: EvictionSink>(_ entry: UInt32, charge: UInt32, _ sink: inout Sink) -> Bool {
        guard table.notes[Int(entry)].state & Self.inTest != 0 else { return false }
        adapt(by: charge, grows: true)
        table.notes[Int(entry)].state &= ~Self.used
        while hotUsed &+ UInt64(charge) &+ coldTarget > budget.limit {
            let isInTest = table.notes[Int(entry)].state & Self.inTest != 0
            guard isInTest, demoteOne(before: entry, &sink) else { return false }
        }
        return true
    }

    /// HANDhot: spares hot objects that were used, and makes the first other one cold. False when it reaches an entry
    /// of the list first.
    @inlinable
    @discardableResult
    mutating func demoteOne<Sink: EvictionSink>(before end: UInt32 = 0, _ sink: inout Sink) -> Bool {
        var isDone = false
        while !isDone {
            let entry = table.oldest(0)
            if entry == end { break }
            let state = table.notes[Int(entry)].state
            if state & Self.hot == 0 {
                endTest(entry, &sink)
                continue
            }
            unlist(entry)
            if state & Self.used != 0 {
                table.notes[Int(entry)].state = Self.resident | Self.hot
                table.link(entry, before: 0)
                continue
            }
            hotUsed &-= UInt64(table.charge(entry))
            table.notes[Int(entry)].state = Self.resident
            table.linkAlone(entry)
            linkCold(entry)
            isDone = true
        }
        stopAtHot(&sink)
        return isDone
    }

    /// HANDhot moves on to a hot object; the test periods of the cold objects before it end.
    @inlinable
    @inline(__always)
    mutating func stopAtHot<Sink: EvictionSink>(_ sink: inout Sink) {
        guard hotUsed > 0 else { return }
        while true {
            let entry = table.oldest(0)
            if table.notes[Int(entry)].state & Self.hot != 0 { return }
            endTest(entry, &sink)
        }
    }

    /// HANDtest; there is an object in its test period.
    @inlinable
    mutating func endOldestTest<Sink: EvictionSink>(_ sink: inout Sink) {
        if testHand == 0 { testHand = table.oldest(0) }
        while table.notes[Int(testHand)].state & Self.hot != 0 { testHand = table.newer(testHand) }
        endTest(testHand, &sink)
    }

    /// Ends the test period of a cold object, which is forgotten if it is not resident.
    @inlinable
    mutating func endTest<Sink: EvictionSink>(_ entry: UInt32, _ sink: inout Sink) {
        let state = table.notes[Int(entry)].state
        let charge = table.charge(entry)
        adapt(by: charge, grows: state & Self.used != 0)
        unlist(entry)
        table.linkAlone(entry)
        table.notes[Int(entry)].state = state & ~Self.inTest
        if state & Self.resident != 0 { return }
        ghostUsed &-= UInt64(charge)
        if entry == returning { return }
        sink.forgotten(table.object(entry))
        table.drop(entry)
    }

    /// Moves the target for cold objects within its bounds.
    @inlinable
    @inline(__always)
    mutating func adapt(by charge: UInt32, grows: Bool) {
        let weight = UInt64(charge)
        if grows {
            coldTarget = min(coldTarget &+ weight, most)
        } else {
            coldTarget = coldTarget > least &+ weight ? coldTarget &- weight : least
        }
    }

    /// Takes an entry off the list, or out of its ring.
    @inlinable
    @inline(__always)
    mutating func unlist(_ entry: UInt32) {
        if entry == testHand { testHand = table.newer(entry) }
        table.unlink(entry)
    }

    @inlinable
    @inline(__always)
    func unlinkCold(_ entry: UInt32) {
        let place = table.notes[Int(entry)]
        table.notes[Int(place.olderCold)].newerCold = place.newerCold
        table.notes[Int(place.newerCold)].olderCold = place.olderCold
    }

    /// Makes an entry the newest of the resident cold objects.
    @inlinable
    @inline(__always)
    func linkCold(_ entry: UInt32) {
        let newest = table.notes[0].olderCold
        table.notes[Int(entry)].newerCold = 0
        table.notes[Int(entry)].olderCold = newest
        table.notes[Int(newest)].newerCold = entry
        table.notes[0].olderCold = entry
    }

    @inlinable
    package mutating func reweigh(_ entry: UInt32, charge: UInt32) {
        let old = table.charge(entry)
        budget.exchange(old, for: charge)
        table.setCharge(entry, charge)
        if table.notes[Int(entry)].state & Self.hot != 0 { hotUsed = hotUsed &- UInt64(old) &+ UInt64(charge) }
    }

    @inlinable
    package mutating func takeOut(_ entry: UInt32) {
        let charge = table.charge(entry)
        let state = table.notes[Int(entry)].state
        if state & Self.resident == 0 {
            ghostUsed &-= UInt64(charge)
        } else {
            budget.subtract(charge)
            if state & Self.hot != 0 { hotUsed &-= UInt64(charge) } else { unlinkCold(entry) }
        }
        unlist(entry)
        table.linkAlone(entry)
        if entry == last { last = 0 }
        table.drop(entry)
    }

    @inlinable
    package mutating func discard<Sink: EvictionSink>(_ object: ObjectID, _ sink: inout Sink) {
        let entry = table.entry(of: object)
        guard entry != 0 else { return }
        takeOut(entry)
        stopAtHot(&sink)
    }
}
