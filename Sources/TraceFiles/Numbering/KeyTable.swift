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
    private var shift: UInt64
    private var used = 0
    /// Drawn anew each time, so that nobody can write a trace whose keys all collide.
    private let seed = UInt64.random(in: .min ... .max)

    init() {
        slotCount = 1 << 12
        shift = 64 - 12
        slots = Self.allocate(slotCount)
    }

    deinit { slots.deallocate() }

    /// Where the search for a key begins; valid until the next ``reserve(_:)``.
    @inline(__always)
    func home(of key: UInt64) -> Int {
        Int(truncatingIfNeeded: TextHash.fold(key ^ seed) &>> shift)
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
            index = (index &+ 1) & (slotCount &- 1)
        }
    }

    /// Makes room for so many new keys.
    mutating func reserve(_ count: Int) {
        guard (used + count) * 8 > slotCount * 5 else { return }
        let (old, oldCount) = (slots, slotCount)
        while (used + count) * 8 > slotCount * 5 {
            slotCount *= 2
            shift -= 1
        }
        slots = Self.allocate(slotCount)
        for index in 0..<oldCount where old[index].key != 0 {
            var target = home(of: old[index].key)
            while slots[target].key != 0 { target = (target &+ 1) & (slotCount &- 1) }
            slots[target] = old[index]
        }
        old.deallocate()
    }

    @inline(__always)
    private static func number(of slot: UnsafeMutablePointer<Slot>) -> UnsafeMutablePointer<UInt32> {
        // The number stands behind the key, which has 8 bytes.
        (UnsafeMutableRawPointer(slot) + 8).assumingMemoryBound(to: UInt32.self)
    }

    private static func allocate(_ count: Int) -> UnsafeMutablePointer<Slot> {
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: count)
        slots.initialize(repeating: Slot(key: 0, number: 0), count: count)
        return slots
    }
}
