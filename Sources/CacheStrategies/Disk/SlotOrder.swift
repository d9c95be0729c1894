/// Numbered slots in the order of their last use: a doubly linked list in two arrays.
///
/// Every operation is O(1); linking a slot beyond the arrays' end grows them, amortised.
struct SlotOrder: Sendable {
    private var newer: [Int] = []
    private var older: [Int] = []
    /// The slot used most recently.
    private(set) var newest: Int?
    /// The slot used least recently.
    private(set) var oldest: Int?
    /// Slots in the list.
    private(set) var count = 0

    private static let end = -1
    private static let unlinked = -2

    /// Reserves room for a number of slots.
    mutating func reserve(_ count: Int) {
        newer.reserveCapacity(count)
        older.reserveCapacity(count)
    }

    /// Whether the list holds a slot.
    func contains(_ slot: Int) -> Bool {
        slot < newer.count && newer[slot] != Self.unlinked
    }

    /// Moves a slot to the front, or adds it there.
    mutating func use(_ slot: Int) {
        guard newest != slot else { return }
        remove(slot)
        while newer.count <= slot {
            newer.append(Self.unlinked)
            older.append(Self.unlinked)
        }
        newer[slot] = Self.end
        older[slot] = newest ?? Self.end
        if let newest { newer[newest] = slot } else { oldest = slot }
        newest = slot
        count += 1
    }

    /// Removes a slot, if it is in the list.
    mutating func remove(_ slot: Int) {
        guard contains(slot) else { return }
        let (before, after) = (newer[slot], older[slot])
        if before == Self.end { newest = after == Self.end ? nil : after } else { older[before] = after }
        if after == Self.end { oldest = before == Self.end ? nil : before } else { newer[after] = before }
        newer[slot] = Self.unlinked
        older[slot] = Self.unlinked
        count -= 1
    }

    /// The slots, most recent first. O(n); for checks.
    var slots: [Int] {
        var slots: [Int] = []
        var next = newest ?? Self.end
        // The bound keeps a broken list from looping forever, so that a check can report it.
        while next != Self.end, slots.count <= count {
            slots.append(next)
            next = older[next]
        }
        return slots
    }
}
