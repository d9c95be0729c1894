import Foundation
import Platform

/// A table from keys to numbers: open addressing with linear probing. Key and number share a slot, so that a lookup
/// mostly touches one cache line. The key 0 is not allowed, because it marks an empty slot.
struct KeyTable: ~Copyable {
    private struct Slot {
        var key: UInt64
        /// The number plus 1; 0 for a key without a number.
        var number: UInt32
    }

    private var slots: UnsafeMutablePointer<Slot>
    private var slotCount = 1 << 12
    private var used = 0
    /// Random for each table, so that no trace can be built whose keys all collide.
    private let seed = UInt64.random(in: .min ... .max)

    /// An empty table; `nil` when memory is exhausted.
    init?() {
        guard let slots = Self.allocate(slotCount) else { return nil }
        self.slots = slots
    }

    deinit { free(slots) }

    /// The slot at which the search for a key begins; valid until the next ``reserve(_:)``.
    @inline(__always)
    func home(of key: UInt64) -> Int {
        // The upper half of the product spreads the hashes over any number of slots.
        Int(truncatingIfNeeded: TextHash.fold(key ^ seed).multipliedFullWidth(by: UInt64(slotCount)).high)
    }

    /// Brings a slot into the processor's cache. The result has no meaning, but must be used, or the load is
    /// optimised away.
    @inline(__always)
    func touch(_ home: Int) -> UInt64 { slots[home].key }

    /// The number in a slot, of any key; 0 in an empty one.
    @inline(__always)
    func number(at home: Int) -> UInt32 { slots[home].number }

    /// A pointer to the number of a key, which is 0 for a new key; valid until the next ``reserve(_:)``. The caller
    /// has reserved room and writes the number of a new key.
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

    /// Makes room for `count` new keys.
    ///
    /// - Returns: `false` when memory is exhausted; the table is unchanged then.
    mutating func reserve(_ count: Int) -> Bool {
        guard (used + count) * 4 > slotCount * 3 else { return true }
        // A small table grows faster, because most of its copies would be wasted. A large one grows by half, so that
        // the old and the new table together take less than 54 bytes for each key.
        var newCount = slotCount < 1 << 18 ? slotCount * 8 : slotCount + slotCount / 2
        while (used + count) * 4 > newCount * 3 { newCount += newCount / 2 }
        guard let larger = Self.allocate(newCount) else { return false }
        let (old, oldCount) = (slots, slotCount)
        slots = larger
        slotCount = newCount
        // Start slots are in the order of the hashes, so both tables are traversed from front to back.
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
        // The number follows the key, which has 8 bytes.
        (UnsafeMutableRawPointer(slot) + 8).assumingMemoryBound(to: UInt32.self)
    }

    /// Zeroed slots; `nil` when memory is exhausted.
    private static func allocate(_ count: Int) -> UnsafeMutablePointer<Slot>? {
        // A slot of zero bits is empty.
        ZeroedMemory.allocate(byteCount: count * MemoryLayout<Slot>.stride)?.bindMemory(to: Slot.self, capacity: count)
    }
}
