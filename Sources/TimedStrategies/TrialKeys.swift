/// Every key of a scenario by its number: making a key costs more than looking it up.
@usableFromInline
package final class TrialKeys<Key: Sendable>: @unchecked Sendable {
    // The memory is written in `init` alone, before any other thread can have the instance; from then on it is only read.
    @usableFromInline let keys: UnsafeMutablePointer<Key>
    @usableFromInline let count: Int

    /// Makes the keys 0 to `count` - 1. O(count).
    @inlinable
    package init(count: Int, make: (Int) -> Key) {
        self.count = max(count, 0)
        keys = .allocate(capacity: max(count, 1))
        for number in 0..<max(count, 0) { (keys + number).initialize(to: make(number)) }
    }

    deinit {
        keys.deinitialize(count: count)
        keys.deallocate()
    }

    /// The place of a key.
    @inlinable
    @inline(__always)
    func place(of number: UInt32) -> UnsafeMutablePointer<Key> {
        precondition(Int(number) < count, "A workload asks for keys of its scenario only.")
        return keys + Int(number)
    }

    /// The key with a number.
    @inlinable
    subscript(number: UInt32) -> Key { place(of: number).pointee }
}

/// What one client takes keys from, without counting references.
///
/// A copy of a string or a URL counts one more reference to it and one less afterwards, on an object that all clients
/// share: that costs 10 ns, part of them inside the timed span, and puts clients in an order that a race detector takes for the
/// strategy's. So a key is lent: its bytes are copied into a place of the client's own, taken from there, and put
/// back. The table outlives the loan, so that the key is valid for as long as it is used.
@usableFromInline
final class LentKeys<Key: Sendable>: @unchecked Sendable {
    // One client uses an instance, for one operation at a time.
    @usableFromInline let table: TrialKeys<Key>
    /// Holds no key of its own at any time: what is left in it after ``giveBack(_:)`` is never released.
    @usableFromInline let place: UnsafeMutablePointer<Key>

    @inlinable
    init(_ table: TrialKeys<Key>) {
        self.table = table
        // A cache line of its own, and the next one, which processors fetch with it: a place is written right before the clock
        // is read, and a neighbour's writes would hold that up.
        let bytes = UnsafeMutableRawPointer.allocate(
            byteCount: max(MemoryLayout<Key>.stride, 128), alignment: max(MemoryLayout<Key>.alignment, 128))
        place = bytes.bindMemory(to: Key.self, capacity: 1)
    }

    deinit { place.deallocate() }

    /// The key with a number. ``giveBack(_:)`` must follow, once, after its last use.
    @inlinable
    @inline(__always)
    func lend(_ number: UInt32) -> Key {
        // A number has no references to count.
        if _isPOD(Key.self) { return table[number] }
        UnsafeMutableRawPointer(place).copyMemory(from: table.place(of: number), byteCount: MemoryLayout<Key>.size)
        return place.move()
    }

    /// Ends the loan.
    @inlinable
    @inline(__always)
    func giveBack(_ key: consuming Key) {
        if !_isPOD(Key.self) { place.initialize(to: key) }
    }
}
