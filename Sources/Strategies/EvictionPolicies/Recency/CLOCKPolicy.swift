/// A policy whose hand moves from the oldest to the newest object of queue 0, and from there to the oldest again. It
/// evicts the first object that was not used since the hand last passed.
@usableFromInline
package protocol HandPolicy: ExchangePolicy, ~Copyable where Note == UsedBit {
    /// The entry that is examined next; 0 means the oldest.
    var hand: UInt32 { get set }
}

extension HandPolicy where Self: ~Copyable {
    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) { table.notes[Int(entry)].value = 1 }

    /// Moves the hand to the first object that was not used, and clears the bits on the way.
    @inlinable
    @inline(__always)
    package mutating func nextVictim() -> UInt32 {
        let notes = table.notes
        return moveHand { entry in
            // Entry 0 is not an object and has no bit.
            if notes[Int(entry)].value == 0 { return false }
            notes[Int(entry)].value = 0
            return true
        }
    }

    /// - Parameter clearMark: clears an entry's mark, and returns whether it was set.
    @inlinable
    @inline(__always)
    mutating func moveHand(_ clearMark: (UInt32) -> Bool) -> UInt32 {
        // From entry 0 the hand restarts.
        if hand == 0 { hand = table.oldest(0) }
        while clearMark(hand) {
            hand = table.newer(hand)
            if hand == 0 { hand = table.oldest(0) }
        }
        return hand
    }

    @inlinable
    package mutating func takeOut(_ entry: UInt32) {
        if entry == hand { hand = table.newer(entry) }
        budget.subtract(table.charge(entry))
        table.drop(entry)
    }
}

/// CLOCK, or second chance: evicts in order of admission, but skips an object once if it was used since the hand last
/// passed.
///
/// F. J. Corbató: A Paging Experiment with the Multics System, MIT Project MAC Report MAC-M-384, 1968. One bit for
/// each object. The hand first evicts; then the new object takes the place behind the hand, with its bit clear.
///
/// Weights: the hand continues until the new object fits.
@usableFromInline
package struct CLOCK<Entry: TableEntry>: HandPolicy, ~Copyable {
    /// Queue 0 is the ring of all objects, with an end somewhere that the hand skips.
    @usableFromInline
    package var table = EntryTable<UsedBit, Entry>(queueCount: 1)
    @usableFromInline
    package var hand: UInt32 = 0
    @usableFromInline
    package var budget: Budget

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) { budget = Budget(capacity) }

    @inlinable
    @inline(__always)
    package mutating func enter(_ entry: UInt32) { table.link(entry, before: hand) }

    /// The place behind the hand is the victim's.
    @inlinable
    @inline(__always)
    package mutating func reenter(_ entry: UInt32) { hand = table.newer(entry) }

    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "clock", summary: "FIFO that gives used objects a second chance",
            source: "Corbató, MIT Project MAC, 1968",
            agreement: "libcachesim 0.3.5, to the last miss",
            advice: """
                Misses about as often as LRU, and a hit only sets a mark. An eviction may pass many used objects.
                """)
    }
}

/// CLOCK for replays.
package typealias CLOCKPolicy = CLOCK<TraceEntry>
