/// LFU: the object with the fewest uses goes first, and among equals the one whose last use is longest ago.
///
/// The ordering of frequencies is that of K. Shah, A. Mitra, D. Matani: An O(1) Algorithm for Implementing the LFU
/// Cache Eviction Scheme, 2010: a list of the frequencies that occur, each with a list of its objects. Uses are counted
/// while an object is resident, from 1 at its admission, and forgotten with it. A count ends at 2^32 - 1.
///
/// Weights: the least frequent go until the new object fits.
@usableFromInline
package struct LFUPolicy: TablePolicy, ~Copyable {
    /// A frequency is an entry of its own without an object: its queue holds the objects, the note its neighbours.
    @usableFromInline
    struct Place: EntryNote {
        /// An object's frequency entry; a frequency's next higher one, 0 at the end.
        @usableFromInline
        var higher: UInt32 = 0
        /// A frequency's next lower one, 0 at the end.
        @usableFromInline
        var lower: UInt32 = 0
        /// How many uses a frequency stands for.
        @usableFromInline
        var uses: UInt32 = 0

        @inlinable
        init() {}
    }

    /// Entry 0 stands before the lowest and behind the highest frequency.
    @usableFromInline
    var table = EntryTable<Place>(queueCount: 1)
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
    package mutating func use(_ entry: UInt32) {
        let frequency = table.notes[Int(entry)].higher
        let uses = table.notes[Int(frequency)].uses
        let next = table.notes[Int(frequency)].higher
        if uses == .max {
            table.move(entry, toNewestOf: frequency)
            return
        }
        if next != 0, table.notes[Int(next)].uses == uses &+ 1 {
            table.move(entry, toNewestOf: next)
            table.notes[Int(entry)].higher = next
            if table.isEmpty(frequency) { dropFrequency(frequency) }
        } else if table.oldest(frequency) == table.newest(frequency) {
            // Alone with its frequency, which then can rise as it is.
            table.notes[Int(frequency)].uses = uses &+ 1
        } else {
            let added = addFrequency(uses &+ 1, after: frequency)
            table.move(entry, toNewestOf: added)
            table.notes[Int(entry)].higher = added
        }
    }

    @inlinable
    mutating func addFrequency(_ uses: UInt32, after lower: UInt32) -> UInt32 {
        let added = table.takeEntry()
        let higher = table.notes[Int(lower)].higher
        table.linkAlone(added)
        table.setCharge(added, 0)
        table.notes[Int(added)].uses = uses
        table.notes[Int(added)].lower = lower
        table.notes[Int(added)].higher = higher
        table.notes[Int(lower)].higher = added
        table.notes[Int(higher)].lower = added
        return added
    }

    @inlinable
    mutating func dropFrequency(_ frequency: UInt32) {
        let place = table.notes[Int(frequency)]
        table.notes[Int(place.lower)].higher = place.higher
        table.notes[Int(place.higher)].lower = place.lower
        table.free(frequency)
    }

    @inlinable
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt32, _ sink: inout Sink) -> Bool {
        while !budget.fits(charge) {
            let lowest = table.notes[0].higher
            let entry = table.oldest(lowest)
            let leaving = table.charge(entry)
            if budget.fits(charge, inPlaceOf: leaving), table.notes[Int(lowest)].uses == 1 {
                let victim = table.object(entry)
                budget.exchange(leaving, for: charge)
                table.give(entry, to: object, charge: charge)
                table.move(entry, toNewestOf: lowest)
                sink.evicted(victim)
                sink.forgotten(victim)
                return true
            }
            evictNext(&sink)
        }
        budget.add(charge)
        let lowest = table.notes[0].higher
        let isOne = lowest != 0 && table.notes[Int(lowest)].uses == 1
        let frequency = isOne ? lowest : addFrequency(1, after: 0)
        let entry = table.add(object, charge: charge)
        table.notes[Int(entry)].higher = frequency
        table.link(entry, before: frequency)
        return true
    }

    @inlinable
    package mutating func reweigh(_ entry: UInt32, charge: UInt32) {
        budget.exchange(table.charge(entry), for: charge)
        table.setCharge(entry, charge)
    }

    @inlinable
    package mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
        let entry = table.oldest(table.notes[0].higher)
        let victim = table.object(entry)
        takeOut(entry)
        sink.evicted(victim)
        sink.forgotten(victim)
    }

    @inlinable
    mutating func takeOut(_ entry: UInt32) {
        let frequency = table.notes[Int(entry)].higher
        budget.subtract(table.charge(entry))
        table.drop(entry)
        if table.isEmpty(frequency) { dropFrequency(frequency) }
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
    }
}
