/// All keys of a scenario by number, because creating a key costs more than looking it up.
@usableFromInline
package final class TrialKeys<Key: Sendable>: @unchecked Sendable {
    // The memory is written only in `init`, before any other thread can have the instance, and is read-only afterwards.
    @usableFromInline let keys: UnsafeMutablePointer<Key>
    @usableFromInline let count: Int

    /// Creates the keys 0 to `count` - 1. O(count).
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

    /// The address of a key.
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

/// The source of one client's keys, without reference counting.
///
/// A copy of a string or a URL changes the reference count of an object that all clients share. That costs 10 ns,
/// partly within the timed span, and creates a happens-before order between clients that a race detector would
/// attribute to the strategy. Therefore a key is lent: its bytes are copied into the client's own storage, used from
/// there, and given back. The table outlives the loan, so the key is valid while it is used.
@usableFromInline
final class LentKeys<Key: Sendable>: @unchecked Sendable {
    // One client uses an instance, for one operation at a time.
    @usableFromInline let table: TrialKeys<Key>
    /// The storage never owns a key: bytes left in it after ``giveBack(_:)`` are never released.
    @usableFromInline let place: UnsafeMutablePointer<Key>

    @inlinable
    init(_ table: TrialKeys<Key>) {
        self.table = table
        // It has its own cache line, and the next one, which processors fetch with it: the storage is written just
        // before the clock is read, and writes of a neighbour would delay that.
        let bytes = UnsafeMutableRawPointer.allocate(
            byteCount: max(MemoryLayout<Key>.stride, 128), alignment: max(MemoryLayout<Key>.alignment, 128))
        place = bytes.bindMemory(to: Key.self, capacity: 1)
    }

    deinit { place.deallocate() }

    /// The key with a number. ``giveBack(_:)`` must follow, once, after its last use.
    @inlinable
    @inline(__always)
    func lend(_ number: UInt32) -> Key {
        // A number has no reference count.
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
