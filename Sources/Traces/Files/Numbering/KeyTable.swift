import Foundation

/// A table from keys to numbers: open addressing, linear probing, key and number in one slot, so that a lookup
/// mostly touches one cache line. The key 0 is not allowed: it marks an empty slot.
struct KeyTable: ~Copyable {
    private struct Slot {
        var key: UInt64
        /// Plus 1; 0 for a key that has none yet.
        var number: UInt32
    }

    private var slots: UnsafeMutablePointer<Slot>
    private var slotCount: Int
    private var used = 0
    /// Drawn anew each time, so that nobody can write a trace whose keys all collide.
    private let seed = UInt64.random(in: .min ... .max)

    /// Slots of a new table.
    static let firstSlotCount = 1 << 12

    /// An empty table.
    ///
    /// - Parameter memory: zeroes, for ``firstSlotCount`` slots; the table gives it back.
    init(memory: UnsafeMutableRawPointer) {
        slotCount = Self.firstSlotCount
        slots = memory.bindMemory(to: Slot.self, capacity: slotCount)
    }

    /// Zeroes for a new table; `nil` when there is no memory.
    static func firstMemory() -> UnsafeMutableRawPointer? {
        ZeroedMemory.allocate(byteCount: firstSlotCount * MemoryLayout<Slot>.stride)
    }

    deinit { free(slots) }

    /// Where the search for a key begins; valid until the next ``reserve(_:)``.
    @inline(__always)
    func home(of key: UInt64) -> Int {
        // The upper half of the product spreads the hashes over any number of slots.
        Int(truncatingIfNeeded: TextHash.fold(key ^ seed).multipliedFullWidth(by: UInt64(slotCount)).high)
    }

    /// Brings a slot into the cache. The result means nothing, but must be used for the load to happen.
    @inline(__always)
    func touch(_ home: Int) -> UInt64 { slots[home].key }

    /// The place of the number of a key, which is 0 for a new key; valid until the next ``reserve(_:)``.
    /// The caller has reserved room and writes the number of a new key there.
    @inline(__always)
    mutating func place(of key: UInt64, from home: Int) -> UnsafeMutablePointer<UInt32> {
        var index = home
        while true {
            let slot = slots + index
            let found = slot.pointee.key
            if found == key { return Self.number(of: slot) }
            if found == 0 {
                slot.pointee.key = key
                used &+= 1
                return Self.number(of: slot)
            }
            index = next(index)
        }
    }

    @inline(__always)
    private func next(_ index: Int) -> Int { index &+ 1 == slotCount ? 0 : index &+ 1 }

    /// Makes room for so many new keys.
    ///
    /// - Returns: `false` when there is no memory; the table is as it was.
    mutating func reserve(_ count: Int) -> Bool {
        guard (used + count) * 4 > slotCount * 3 else { return true }
        // A small table grows faster: most of its copies would be for nothing. A large one grows by half, so that old
        // and new together stay below 54 bytes for each key.
        var newCount = slotCount < 1 << 18 ? slotCount * 8 : slotCount + slotCount / 2
        while (used + count) * 4 > newCount * 3 { newCount += newCount / 2 }
        guard let larger = Self.allocate(newCount) else { return false }
        let (old, oldCount) = (slots, slotCount)
        slots = larger
        slotCount = newCount
        // Homes are in the order of the hashes, so that both tables are walked from front to back.
        for index in 0..<oldCount where old[index].key != 0 {
            var target = home(of: old[index].key)
            while slots[target].key != 0 { target = next(target) }
            slots[target] = old[index]
        }
        free(old)
        return true
    }

    @inline(__always)
    private static func number(of slot: UnsafeMutablePointer<Slot>) -> UnsafeMutablePointer<UInt32> {
        // The number stands behind the key, which has 8 bytes.
        (UnsafeMutableRawPointer(slot) + 8).assumingMemoryBound(to: UInt32.self)
    }

    /// `nil` when there is no memory.
    private static func allocate(_ count: Int) -> UnsafeMutablePointer<Slot>? {
        // All bits 0 is an empty slot.
        ZeroedMemory.allocate(byteCount: count * MemoryLayout<Slot>.stride)?.bindMemory(to: Slot.self, capacity: count)
    }
}
