/// CLOCK, or second chance: evicts in order of admission, but skips an object once if it was used since the hand last
/// passed.
///
/// F. J. Corbató: A Paging Experiment with the Multics System, MIT Project MAC Report MAC-M-384, 1968. One bit for
/// each object. The hand first evicts; then the new object takes the place behind the hand, with its bit clear.
///
/// Weights: the hand continues until the new object fits.
@usableFromInline
package struct CLOCK<Entry: TableEntry>: ExchangePolicy, ~Copyable {
    /// A ring of all objects that contains no queue entry. Entry 0 is never linked.
    @usableFromInline
    package var table = EntryTable<UsedBit, Entry>(queueCount: 1)
    /// The entry that is examined next, the oldest of the ring; 0 when nothing is resident.
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
    package mutating func use(_ entry: UInt32) {
        table.notes[Int(entry)].value = 1
    }

    /// Moves the hand to the first object that was not used, and clears the bits on the way.
    @inlinable
    @inline(__always)
    package mutating func nextVictim() -> UInt32 {
        while table.notes[Int(hand)].value != 0 {
            table.notes[Int(hand)].value = 0
            hand = table.newer(hand)
        }
        return hand
    }

    @inlinable
    @inline(__always)
    package mutating func enter(_ entry: UInt32) {
        if hand == 0 {
            table.linkAlone(entry)
            hand = entry
        } else {
            table.link(entry, before: hand)
        }
    }

    /// The place behind the hand is the victim's.
    @inlinable
    @inline(__always)
    package mutating func reenter(_ entry: UInt32) {
        hand = table.newer(entry)
    }

    @inlinable
    package mutating func takeOut(_ entry: UInt32) {
        if entry == hand {
            let next = table.newer(entry)
            hand = next == entry ? 0 : next
        }
        budget.subtract(table.charge(entry))
        table.drop(entry)
    }

    @inlinable
    package mutating func removeAll() {
        table.removeAll()
        budget.reset()
        hand = 0
    }
}

/// CLOCK for replays.
package typealias CLOCKPolicy = CLOCK<TraceEntry>

extension CLOCK {
    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "clock", summary: "FIFO that gives used objects a second round",
            source: "Corbató, MIT Project MAC, 1968",
            agreement: "libcachesim 0.3.5, to the last miss",
            advice: """
                Misses about as often as LRU, and a hit only sets a mark. An eviction may pass many used objects.
                """)
    }
}
