/// One place of a policy's table: an object that is resident or remembered, with its neighbours in a queue.
///
/// There are three kinds, chosen at compile time, so that a replay and a live cache run the same policies and neither
/// pays for the other. Made of plain numbers.
@usableFromInline
package protocol TableEntry: BitwiseCopyable {
    /// Whether an object's number is its place in the table. Otherwise the table keeps a place for each number.
    static var isPlacedByNumber: Bool { get }
    /// Whether every object counts as 1, so that no charge is kept.
    static var countsAsOne: Bool { get }

    /// A place with these neighbours that no object has: its charge is 0.
    init(newer: UInt32, older: UInt32)

    /// The neighbour that entered the queue after this one, on the way to the queue's front.
    var newer: UInt32 { get set }
    /// The neighbour that entered the queue before this one, on the way to the queue's back.
    var older: UInt32 { get set }
    /// Whose place it is. Kept only where the place doesn't tell; see ``isPlacedByNumber``.
    var object: ObjectID { get set }
    /// What the object takes of the capacity; 0 in a place that is free.
    var charge: UInt32 { get set }
}

/// An entry for replays: the numbers may be spread far, and are never used again.
///
/// Entries lie close together whatever the objects' numbers are, so that a small cache over a large trace works inside
/// the processor's nearest memory, and one request costs one access far away.
@frozen
@usableFromInline
package struct TraceEntry: TableEntry {
    @usableFromInline
    package var newer: UInt32
    @usableFromInline
    package var older: UInt32
    @usableFromInline
    package var object: ObjectID = .max
    @usableFromInline
    package var charge: UInt32 = 0

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

/// An entry for live caches, which give their numbers again: they lie close together by themselves.
@frozen
@usableFromInline
package struct LiveEntry: TableEntry {
    @usableFromInline
    package var newer: UInt32
    @usableFromInline
    package var older: UInt32
    @usableFromInline
    package var charge: UInt32 = 0

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

/// An entry for live caches that hold their limits themselves: every object counts as 1.
@frozen
@usableFromInline
package struct UnitEntry: TableEntry {
    /// `UInt32.max`, which is no place, marks a free one.
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

    /// 1, or 0 in a free place. Only 0 can be set: a place is taken when its neighbours are.
    @inlinable
    package var charge: UInt32 {
        @inline(__always) get { newer == .max ? 0 : 1 }
        @inline(__always) set { if newValue == 0 { newer = .max } }
    }
}
