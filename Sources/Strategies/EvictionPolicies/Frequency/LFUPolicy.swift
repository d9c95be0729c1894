/// LFU: evicts the object with the fewest uses, and among equals the one whose last use is longest ago.
///
/// The order of frequencies follows K. Shah, A. Mitra, D. Matani: An O(1) Algorithm for Implementing the LFU Cache
/// Eviction Scheme, 2010: a list of the frequencies that occur, each with a list of its objects. Uses are counted
/// while an object is resident, from 1 at its admission, and are forgotten with it. A count saturates at 2^32 - 1.
///
/// Weights: the least frequently used objects are evicted until the new one fits.
@usableFromInline
package struct LFUPolicy: ExchangePolicy, ~Copyable {
    /// A frequency is an entry without an object: its queue holds the objects, its note the adjacent frequencies.
    @usableFromInline
    package struct Place: EntryNote {
        /// For an object, its frequency's entry; for a frequency, the next higher one, 0 at the end.
        @usableFromInline
        var higher: UInt32 = 0
        /// For a frequency, the next lower one, 0 at the end.
        @usableFromInline
        var lower: UInt32 = 0
        /// The number of uses of a frequency.
        @usableFromInline
        var uses: UInt32 = 0

        @inlinable
        package init() {}
    }

    /// Entry 0 is before the lowest and after the highest frequency.
    @usableFromInline
    package var table = EntryTable<Place, TraceEntry>(queueCount: 1)
    @usableFromInline
    package var budget: Budget

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) { budget = Budget(capacity) }

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
            // The object is alone in its frequency, so the frequency's number can be raised in place.
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

    /// The entry of frequency 1, which is created when there is none.
    @inlinable
    @inline(__always)
    mutating func firstFrequency() -> UInt32 {
        let lowest = table.notes[0].higher
        return lowest != 0 && table.notes[Int(lowest)].uses == 1 ? lowest : addFrequency(1, after: 0)
    }

    @inlinable
    @inline(__always)
    package mutating func nextVictim() -> UInt32 { table.oldest(table.notes[0].higher) }

    @inlinable
    @inline(__always)
    package mutating func enter(_ entry: UInt32) {
        let first = firstFrequency()
        table.notes[Int(entry)].higher = first
        table.link(entry, before: first)
    }

    @inlinable
    @inline(__always)
    package mutating func reenter(_ entry: UInt32) {
        let frequency = table.notes[Int(entry)].higher
        let first = firstFrequency()
        table.notes[Int(entry)].higher = first
        table.move(entry, toNewestOf: first)
        if table.isEmpty(frequency) { dropFrequency(frequency) }
    }

    @inlinable
    package mutating func takeOut(_ entry: UInt32) {
        let frequency = table.notes[Int(entry)].higher
        budget.subtract(table.charge(entry))
        table.drop(entry)
        if table.isEmpty(frequency) { dropFrequency(frequency) }
    }

    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "lfu", summary: "evicts the least often used object, ties by recency",
            source: "Shah, Mitra and Matani, 2010",
            agreement: "libcachesim 0.3.5, to the last miss",
            advice: """
                Take it where popularity does not change. Objects that were popular once stay until the end.
                """)
    }
}

/// LFU as an order of objects that another policy evicts from.
extension LFUPolicy {
    /// Adds an object that has no entry, with one use and without evicting, and returns its entry.
    @inlinable
    @inline(__always)
    mutating func append(_ object: ObjectID) -> UInt32 {
        let entry = table.add(object, charge: 1)
        enter(entry)
        budget.add(1)
        return entry
    }

    /// The number of uses of an entry.
    @inlinable
    @inline(__always)
    func uses(_ entry: UInt32) -> UInt32 { table.notes[Int(table.notes[Int(entry)].higher)].uses }

    /// Adds an object that has no entry, with a number of uses and without evicting, and returns its entry.
    /// O(different frequencies below that number).
    @inlinable
    mutating func append(_ object: ObjectID, uses: UInt32) -> UInt32 {
        if uses == 1 { return append(object) }
        var (lower, frequency): (UInt32, UInt32) = (0, table.notes[0].higher)
        while frequency != 0, table.notes[Int(frequency)].uses < uses {
            (lower, frequency) = (frequency, table.notes[Int(frequency)].higher)
        }
        if frequency == 0 || table.notes[Int(frequency)].uses != uses {
            frequency = addFrequency(uses, after: lower)
        }
        let entry = table.add(object, charge: 1)
        table.notes[Int(entry)].higher = frequency
        table.link(entry, before: frequency)
        budget.add(1)
        return entry
    }
}
