/// A note with an entry's place in an ``EntryHeap``.
@usableFromInline
package protocol HeapNote: EntryNote {
    /// Meaningful only while the entry is in the heap.
    var place: UInt32 { get set }
}

/// The place in a heap, and a number of uses.
@usableFromInline
package struct RankedUses: HeapNote {
    @usableFromInline
    package var place: UInt32 = 0
    /// At most 2^32 - 1.
    @usableFromInline
    var uses: UInt32 = 1

    @inlinable
    package init() {}

    @inlinable
    @inline(__always)
    mutating func countUse() { uses = uses == .max ? uses : uses &+ 1 }
}

/// Entries by rank, the lowest first, and among equals the one with the earliest time; for policies that evict what has
/// the lowest rank.
///
/// J. W. J. Williams: Algorithm 232, Heapsort, Communications of the ACM 7(6), 1964, with four children a node, which
/// are adjacent in memory. Finding the lowest is O(1), every change O(log n). An entry's place is in its note, so that
/// it is found without a search. Entries in the heap are in no queue: each is a ring by itself.
@usableFromInline
package struct EntryHeap: ~Copyable {
    @usableFromInline
    struct Slot: BitwiseCopyable {
        /// At least 0.
        @usableFromInline
        var rank: Double
        @usableFromInline
        var time: UInt64
        @usableFromInline
        var entry: UInt32

        @inlinable
        init(_ entry: UInt32, rank: Double, time: UInt64) { (self.entry, self.rank, self.time) = (entry, rank, time) }

        /// Whether rank and time are lower, compared as one number of 128 bits: a branch on either would be mispredicted
        /// half the time. Bit patterns are in the order of ranks, which are never negative.
        @inlinable
        @inline(__always)
        func isBefore(_ other: Slot) -> Bool {
            let isEarlier = time.subtractingReportingOverflow(other.time).overflow
            let difference = rank.bitPattern.subtractingReportingOverflow(other.rank.bitPattern)
            let rest = difference.partialValue.subtractingReportingOverflow(isEarlier ? 1 : 0)
            return difference.overflow != rest.overflow
        }
    }

    @usableFromInline
    var slots: UnsafeMutablePointer<Slot>
    @usableFromInline
    var capacity = 64
    @usableFromInline
    var count = 0

    @inlinable
    init() { slots = .allocate(capacity: 64) }

    @inlinable
    deinit { slots.deallocate() }

    /// The slot that comes first; only while there is one.
    @inlinable
    @inline(__always)
    var lowest: Slot { slots[0] }

    @inlinable
    @inline(__always)
    mutating func insert<Note: HeapNote>(_ slot: Slot, _ notes: UnsafeMutablePointer<Note>) {
        if count == capacity { grow() }
        count &+= 1
        raise(slot, from: count &- 1, notes)
    }

    /// Gives an entry of the heap another rank and time.
    @inlinable
    @inline(__always)
    mutating func change<Note: HeapNote>(_ slot: Slot, _ notes: UnsafeMutablePointer<Note>) {
        settle(slot, at: Int(notes[Int(slot.entry)].place), notes)
    }

    /// Removes an entry of the heap.
    @inlinable
    mutating func remove<Note: HeapNote>(_ entry: UInt32, _ notes: UnsafeMutablePointer<Note>) {
        let place = Int(notes[Int(entry)].place)
        count &-= 1
        if place != count { settle(slots[count], at: place, notes) }
    }

    /// Puts a slot where it belongs, starting at a free place.
    @inlinable
    @inline(__always)
    mutating func settle<Note: HeapNote>(_ slot: Slot, at place: Int, _ notes: UnsafeMutablePointer<Note>) {
        if place > 0, slot.isBefore(slots[(place &- 1) &>> 2]) {
            raise(slot, from: place, notes)
        } else {
            lower(slot, from: place, notes)
        }
    }

    @inlinable
    mutating func raise<Note: HeapNote>(_ slot: Slot, from start: Int, _ notes: UnsafeMutablePointer<Note>) {
        var place = start
        while place > 0 {
            let parent = (place &- 1) &>> 2
            guard slot.isBefore(slots[parent]) else { break }
            put(slots[parent], at: place, notes)
            place = parent
        }
        put(slot, at: place, notes)
    }

    @inlinable
    mutating func lower<Note: HeapNote>(_ slot: Slot, from start: Int, _ notes: UnsafeMutablePointer<Note>) {
        var place = start
        while true {
            let first = place &* 4 &+ 1
            guard first < count else { break }
            var child = first
            let end = min(first &+ 4, count)
            var other = first &+ 1
            while other < end {
                if slots[other].isBefore(slots[child]) { child = other }
                other &+= 1
            }
            guard slots[child].isBefore(slot) else { break }
            put(slots[child], at: place, notes)
            place = child
        }
        put(slot, at: place, notes)
    }

    @inlinable
    @inline(__always)
    func put<Note: HeapNote>(_ slot: Slot, at place: Int, _ notes: UnsafeMutablePointer<Note>) {
        slots[place] = slot
        notes[Int(slot.entry)].place = UInt32(truncatingIfNeeded: place)
    }

    @inlinable
    @inline(never)
    mutating func grow() {
        let moved = UnsafeMutablePointer<Slot>.allocate(capacity: capacity * 2)
        moved.update(from: slots, count: count)
        slots.deallocate()
        slots = moved
        capacity *= 2
    }
}

/// A policy that evicts what has the lowest sum of a value of its uses and of the cache's age when it was last used; the
/// age is the sum of the object that was evicted last. Queue 0 is never used: the heap orders the objects.
@usableFromInline
package protocol AgingPolicy: TablePolicy, ~Copyable where Note == RankedUses {
    var heap: EntryHeap { get set }
    /// L of the papers.
    var age: Double { get set }
    /// The number of requests so far.
    var time: UInt64 { get set }

    /// The sum of an object that is used now.
    func rank(uses: UInt32, charge: UInt64) -> Double
}

extension AgingPolicy where Self: ~Copyable {
    @inlinable
    @inline(__always)
    func slot(_ entry: UInt32) -> EntryHeap.Slot {
        let rank = rank(uses: table.notes[Int(entry)].uses, charge: table.charge(entry))
        return EntryHeap.Slot(entry, rank: rank, time: time)
    }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) {
        time &+= 1
        table.notes[Int(entry)].countUse()
        heap.change(slot(entry), table.notes)
    }

    /// The caller evicts it, so the cache is as old as its sum.
    @inlinable
    @inline(__always)
    mutating func lowestRanked() -> UInt32 {
        let lowest = heap.lowest
        age = lowest.rank
        return lowest.entry
    }

    /// Unlike an eviction, this does not age the cache.
    @inlinable
    package mutating func upcomingVictim() -> ObjectID? { budget.count == 0 ? nil : table.object(heap.lowest.entry) }

    @inlinable
    @inline(__always)
    package mutating func takeOut(_ entry: UInt32) {
        heap.remove(entry, table.notes)
        budget.subtract(table.charge(entry))
        table.drop(entry)
    }
}
