/// One place of a policy's table: an object that is resident or remembered, with its neighbours in a queue.
///
/// There are three kinds, chosen at compile time, so that a replay and a live cache run the same policies and neither
/// pays for the other. Entries consist of plain numbers.
@usableFromInline
package protocol TableEntry: BitwiseCopyable {
    /// Whether an object's number is its place in the table. If not, the table maps each number to a place.
    static var isPlacedByNumber: Bool { get }
    /// Whether every object counts as 1, so that no charge is stored.
    static var countsAsOne: Bool { get }

    /// A free place with these neighbours: its charge is 0.
    init(newer: UInt32, older: UInt32)

    /// The next entry towards the newest of the queue.
    var newer: UInt32 { get set }
    /// The next entry towards the oldest of the queue.
    var older: UInt32 { get set }
    /// The object of the place. Stored only where the place does not determine it; see ``isPlacedByNumber``.
    var object: ObjectID { get set }
    /// The amount of the capacity that the object takes; 0 in a free place.
    var charge: UInt64 { get set }
}

/// An entry for replays: the numbers may be sparse, and are never reused.
///
/// Entries are close together in memory for any numbers, so that a small cache over a large trace stays in the
/// processor's nearest cache, and one request costs one distant memory access.
@frozen
@usableFromInline
package struct TraceEntry: TableEntry {
    @usableFromInline
    package var newer: UInt32
    @usableFromInline
    package var older: UInt32
    @usableFromInline
    package var object: ObjectID = .max
    // In halves, because eight bytes in a row would make the entry 24 bytes long instead of 20.
    @usableFromInline
    var lowerCharge: UInt32 = 0
    @usableFromInline
    var upperCharge: UInt32 = 0

    @inlinable
    package var charge: UInt64 {
        @inline(__always) get { UInt64(upperCharge) &<< 32 | UInt64(lowerCharge) }
        @inline(__always) set {
            lowerCharge = UInt32(truncatingIfNeeded: newValue)
            upperCharge = UInt32(truncatingIfNeeded: newValue &>> 32)
        }
    }

    @inlinable
    package static var isPlacedByNumber: Bool { false }

    @inlinable
    package static var countsAsOne: Bool { false }

    @inlinable
    @inline(__always)
    package init(newer: UInt32, older: UInt32) {
        self.newer = newer
        self.older = older
    }
}

/// An entry for live caches, which reuse their numbers, so that the numbers are dense.
@frozen
@usableFromInline
package struct LiveEntry: TableEntry {
    @usableFromInline
    package var newer: UInt32
    @usableFromInline
    package var older: UInt32
    @usableFromInline
    var lowerCharge: UInt32 = 0

    /// At most 32 bits, as the weights of live caches have.
    @inlinable
    package var charge: UInt64 {
        @inline(__always) get { UInt64(lowerCharge) }
        @inline(__always) set { lowerCharge = UInt32(truncatingIfNeeded: newValue) }
    }

    @inlinable
    package static var isPlacedByNumber: Bool { true }

    @inlinable
    package static var countsAsOne: Bool { false }

    @inlinable
    @inline(__always)
    package init(newer: UInt32, older: UInt32) {
        self.newer = newer
        self.older = older
    }

    @inlinable
    package var object: ObjectID {
        @inline(__always) get { .max }
        @inline(__always) set {}
    }
}

/// An entry for live caches that enforce their limits themselves: every object counts as 1.
@frozen
@usableFromInline
package struct UnitEntry: TableEntry {
    /// `UInt32.max`, which is not a valid place, marks a free entry.
    @usableFromInline
    package var newer: UInt32
    @usableFromInline
    package var older: UInt32

    @inlinable
    package static var isPlacedByNumber: Bool { true }

    @inlinable
    package static var countsAsOne: Bool { true }

    @inlinable
    @inline(__always)
    package init(newer: UInt32, older: UInt32) {
        self.newer = newer
        self.older = older
    }

    @inlinable
    package var object: ObjectID {
        @inline(__always) get { .max }
        @inline(__always) set {}
    }

    /// 1, or 0 in a free place. Only 0 can be set: linking the entry marks its place as used.
    @inlinable
    package var charge: UInt64 {
        @inline(__always) get { newer == .max ? 0 : 1 }
        @inline(__always) set { if newValue == 0 { newer = .max } }
    }
}
