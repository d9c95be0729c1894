/// An open-addressing hash table from tags to node numbers, with linear probing and without tombstones.
///
/// A slot is one word: the tag in the upper half, the node's number in the lower half; 0 is an empty slot, so no node
/// may have number 0. The tag alone gives the slot's home, so that growing and removing (by shifting back the following
/// slots; Knuth, The Art of Computer Programming, volume 3, 6.4, algorithm R) never read or hash a key again.
///
/// At most half of the slots are taken: fuller tables make misses slower. Looking up, inserting and removing cost O(1),
/// expected.
@usableFromInline
package struct HashIndex {
    @usableFromInline
    var slots: UnsafeMutablePointer<UInt64>
    /// The number of slots, a power of two, less 1.
    @usableFromInline
    var mask: Int

    /// An empty table with room for a number of entries. ``destroy()`` must follow, once.
    @inlinable
    package init(capacity: Int) {
        var slotCount = 8
        while !Self.fits(capacity, in: slotCount) { slotCount *= 2 }
        slots = .allocate(capacity: slotCount)
        slots.initialize(repeating: 0, count: slotCount)
        mask = slotCount - 1
    }

    /// Frees the memory.
    @inlinable
    package func destroy() {
        slots.deallocate()
    }

    /// Whether a table of `slotCount` slots may hold `count` entries.
    @inlinable
    static func fits(_ count: Int, in slotCount: Int) -> Bool {
        count <= slotCount / 2
    }

    @inlinable
    @inline(__always)
    static func word(tag: UInt32, node: UInt32) -> UInt64 {
        UInt64(tag) << 32 | UInt64(node)
    }

    /// The node with this tag for which `matches` holds; 0 when there is none.
    @inlinable
    @inline(__always)
    package func node(tag: UInt32, where matches: (UInt32) -> Bool) -> UInt32 {
        var position = Int(tag) & mask
        while true {
            let word = slots[position]
            if word == 0 { return 0 }
            let node = UInt32(truncatingIfNeeded: word)
            if UInt32(truncatingIfNeeded: word >> 32) == tag, matches(node) { return node }
            position = (position &+ 1) & mask
        }
    }

    /// Adds a node that isn't in the table. The table must have room.
    @inlinable
    @inline(__always)
    package func insert(tag: UInt32, node: UInt32) {
        var position = Int(tag) & mask
        while slots[position] != 0 { position = (position &+ 1) & mask }
        slots[position] = Self.word(tag: tag, node: node)
    }

    /// Removes a node that is in the table.
    @inlinable
    @inline(__always)
    package func remove(tag: UInt32, node: UInt32) {
        let word = Self.word(tag: tag, node: node)
        var hole = Int(tag) & mask
        while slots[hole] != word { hole = (hole &+ 1) & mask }
        var position = hole
        while true {
            position = (position &+ 1) & mask
            let follower = slots[position]
            if follower == 0 { break }
            let home = Int(truncatingIfNeeded: follower >> 32) & mask
            // A slot whose home is after the hole stays: in the hole it would not be found.
            if (position &- home) & mask >= (position &- hole) & mask {
                slots[hole] = follower
                hole = position
            }
        }
        slots[hole] = 0
    }

    /// Makes room for `capacity` entries in all. Costs O(slots) when it has to move, which doubling makes rare.
    @inlinable
    package mutating func reserve(_ capacity: Int) {
        guard !Self.fits(capacity, in: mask + 1) else { return }
        let larger = HashIndex(capacity: capacity)
        for position in 0...mask where slots[position] != 0 {
            let word = slots[position]
            larger.insert(tag: UInt32(truncatingIfNeeded: word >> 32), node: UInt32(truncatingIfNeeded: word))
        }
        destroy()
        self = larger
    }
}
