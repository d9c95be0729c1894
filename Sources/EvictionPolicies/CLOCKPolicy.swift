/// CLOCK, the second chance: in order of admission, but an object that was used since the hand last passed is passed
/// over once more.
///
/// F. J. Corbató: A Paging Experiment with the Multics System, MIT Project MAC Report MAC-M-384, 1968. One bit for
/// each object. The hand first evicts, then the new object takes the place behind the hand, with its bit clear.
///
/// Weights: the hand goes on until the new object fits.
@usableFromInline
package struct CLOCKPolicy: TablePolicy, ~Copyable {
    /// A ring of all objects, without a queue's own entry in it; a note of 1 says "used". Entry 0 is never linked.
    @usableFromInline
    var table = EntryTable<Mark>(queueCount: 1)
    /// The entry that is looked at next, the oldest of the ring; 0 when nothing is resident.
    @usableFromInline
    var hand: UInt32 = 0
    @usableFromInline
    package var budget: Budget

    @inlinable
    package init(capacity: PolicyCapacity) {
        budget = Budget(capacity)
    }

    @inlinable
    @inline(__always)
    package func residentEntry(of object: ObjectID) -> UInt32 { table.entry(of: object) }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) {
        table.notes[Int(entry)].value = 1
    }

    @inlinable
    @inline(__always)
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt32, _ sink: inout Sink) -> Bool {
        while !budget.fits(charge) {
            passUsed()
            let leaving = table.charge(hand)
            if budget.fits(charge, inPlaceOf: leaving) {
                let victim = table.object(hand)
                budget.exchange(leaving, for: charge)
                table.give(hand, to: object, charge: charge)
                hand = table.newer(hand)
                sink.evicted(victim)
                sink.forgotten(victim)
                return true
            }
            evictNext(&sink)
        }
        budget.add(charge)
        let entry = table.add(object, charge: charge)
        if hand == 0 {
            table.linkAlone(entry)
            hand = entry
        } else {
            table.link(entry, before: hand)
        }
        return true
    }

    /// Turns the hand to the first object that was not used, and takes the marks on the way.
    @inlinable
    @inline(__always)
    mutating func passUsed() {
        while table.notes[Int(hand)].value != 0 {
            table.notes[Int(hand)].value = 0
            hand = table.newer(hand)
        }
    }

    @inlinable
    package mutating func reweigh(_ entry: UInt32, charge: UInt32) {
        budget.exchange(table.charge(entry), for: charge)
        table.setCharge(entry, charge)
    }

    @inlinable
    package mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
        passUsed()
        let victim = table.object(hand)
        takeOut(hand)
        sink.evicted(victim)
        sink.forgotten(victim)
    }

    @inlinable
    mutating func takeOut(_ entry: UInt32) {
        if entry == hand {
            let next = table.newer(entry)
            hand = next == entry ? 0 : next
        }
        budget.subtract(table.charge(entry))
        table.drop(entry)
    }

    @inlinable
    package mutating func discard<Sink: EvictionSink>(_ object: ObjectID, _ sink: inout Sink) {
        let entry = table.entry(of: object)
        if entry != 0 { takeOut(entry) }
    }

    @inlinable
    package mutating func removeAll() {
        table.removeAll()
        budget.reset()
        hand = 0
    }
}
