extension CLOCKPro {
    /// Makes a resident object hot, at the head of the list; old hot objects are demoted for it.
    @inlinable
    mutating func makeHot<Sink: EvictionSink>(_ entry: UInt32, _ sink: inout Sink) {
        table.notes[Int(entry)].state = Self.resident | Self.hot
        hotUsed &+= UInt64(table.charge(entry))
        table.link(entry, before: 0)
        while hotUsed &+ coldTarget > budget.limit { demoteOne(&sink) }
        stopAtHot(&sink)
    }

    /// Makes a resident object cold, at the head of the list, and begins its test period.
    @inlinable
    @inline(__always)
    mutating func startTest(_ entry: UInt32) {
        table.notes[Int(entry)].state = Self.resident | Self.inTest
        table.link(entry, before: 0)
        linkCold(entry)
    }

    /// HANDhot: spares hot objects that were used, and makes the first other one cold. At least one object is hot.
    @inlinable
    mutating func demoteOne<Sink: EvictionSink>(_ sink: inout Sink) {
        while true {
            stopAtHot(&sink)
            let entry = table.oldest(0)
            if entry == testHand { testHand = table.newer(entry) }
            if table.notes[Int(entry)].state & Self.used != 0 {
                table.notes[Int(entry)].state = Self.resident | Self.hot
                table.move(entry, toNewestOf: 0)
                continue
            }
            hotUsed &-= UInt64(table.charge(entry))
            table.notes[Int(entry)].state = Self.resident
            table.unlink(entry)
            table.linkAlone(entry)
            linkCold(entry)
            stopAtHot(&sink)
            return
        }
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
        if state & Self.resident != 0 {
            table.notes[Int(entry)].state = state & ~Self.inTest
            table.linkAlone(entry)
        } else {
            ghostUsed &-= UInt64(charge)
            sink.forgotten(table.object(entry))
            table.linkAlone(entry)
            table.drop(entry)
        }
    }

    /// Moves the target for cold objects within its bounds.
    @inlinable
    @inline(__always)
    mutating func adapt(by charge: UInt32, grows: Bool) {
        let weight = UInt64(charge)
        if grows {
            coldTarget = max(min(coldTarget &+ weight, budget.limit &- least), least)
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
