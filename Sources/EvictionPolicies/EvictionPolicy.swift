/// The number of an object. Policies know no keys: who uses one numbers its keys first, densely from 0.
///
/// State is kept in arrays indexed by number, so a stray number of 4 billion would ask for 16 GiB.
@usableFromInline
package typealias ObjectID = UInt32

/// How much a policy may hold.
@usableFromInline
package enum PolicyCapacity: Hashable, Sendable {
    /// A number of objects, whatever they weigh: each counts as 1. A negative number counts as 0.
    case entries(Int)
    /// The sum of the objects' weights, such as their bytes. An object without weight counts as 1, so that their
    /// number has a bound as well.
    case weight(UInt64)
}

/// Hears what a policy lets go.
@usableFromInline
package protocol EvictionSink {
    /// A resident object left to make room, or because its new version is too heavy; never on an explicit removal.
    mutating func evicted(_ object: ObjectID)
    /// The policy keeps nothing of this object any more, neither the object nor its history, so its number may stand
    /// for another key. An object that is evicted and forgotten at once is first `evicted`, then `forgotten`.
    mutating func forgotten(_ object: ObjectID)
}

/// Hears nothing and costs nothing; for replay, where numbers are never used again.
@frozen
@usableFromInline
package struct NoEvictionSink: EvictionSink {
    @inlinable
    @inline(__always)
    package init() {}

    @inlinable
    @inline(__always)
    package mutating func evicted(_ object: ObjectID) {}

    @inlinable
    @inline(__always)
    package mutating func forgotten(_ object: ObjectID) {}
}

/// Decides which object goes next.
///
/// ```swift
/// var policy = LRUPolicy(capacity: .entries(1000))
/// for object in objects { hits += policy.request(object, weight: 1) ? 1 : 0 }
/// ```
///
/// - `request` is for replay; `lookup` and `insert` are its two halves for a live cache. A `lookup` and, on a miss, an
///   `insert` make the same decisions as a `request`.
/// - A policy evicts first and inserts then, never more than it must: under ``PolicyCapacity/weight(_:)`` one object
///   after another until the new one fits. An object heavier than the whole capacity is not admitted and evicts
///   nothing but its own older version.
/// - Not safe for concurrent use. A policy owns its memory and gives it back in its `deinit`.
/// - `request`, `lookup`, `insert` and `remove` cost O(1), amortised, unless a policy says otherwise.
@usableFromInline
package protocol EvictionPolicy: ~Copyable {
    /// A policy that holds nothing yet.
    init(capacity: PolicyCapacity)

    /// One request of a trace: a lookup, and an admission on a miss. True on a hit.
    ///
    /// - Parameter weight: counts on a miss only; an object keeps the weight with which it was admitted.
    mutating func request(_ object: ObjectID, weight: UInt32) -> Bool

    /// A read: notes the use. False, and nothing noted, when the object is not resident.
    mutating func lookup(_ object: ObjectID) -> Bool

    /// Admits an object after a miss. An object that is resident is used and takes on the new weight; others are
    /// evicted until it fits, in the policy's order, in which its own turn may come.
    ///
    /// - Returns: whether the object is resident now. When it is not, its number is a ghost's, or was `forgotten`.
    mutating func insert<Sink: EvictionSink>(_ object: ObjectID, weight: UInt32, _ sink: inout Sink) -> Bool

    /// Removes an object on request: it is not evicted, it leaves no ghost, and its number is free at once (the sink
    /// hears only of others that are forgotten because of it). A ghost of the object goes as well.
    mutating func remove<Sink: EvictionSink>(_ object: ObjectID, _ sink: inout Sink)

    /// Forgets everything, the history and what was learned included, and keeps the memory. O(objects).
    mutating func removeAll()

    /// Whether an object is resident. Notes no use.
    func contains(_ object: ObjectID) -> Bool

    /// The number of resident objects.
    var count: Int { get }

    /// What the resident objects weigh together; their number under ``PolicyCapacity/entries(_:)``.
    var weight: UInt64 { get }

    /// Compares all parts of the state with each other, for tests. O(objects).
    func checkInvariants() throws(PolicyInvariantViolation)
}

extension EvictionPolicy where Self: ~Copyable {
    /// Removes an object when nobody needs to hear which ghosts go with it.
    @inlinable
    package mutating func remove(_ object: ObjectID) {
        var sink = NoEvictionSink()
        remove(object, &sink)
    }

    /// Admits an object when nobody needs to hear what goes for it.
    @inlinable
    package mutating func insert(_ object: ObjectID, weight: UInt32) -> Bool {
        var sink = NoEvictionSink()
        return insert(object, weight: weight, &sink)
    }

    /// Lookup, and an admission on a miss; policies with a shorter way have their own.
    @inlinable
    @inline(__always)
    package mutating func request(_ object: ObjectID, weight: UInt32) -> Bool {
        if lookup(object) { return true }
        var sink = NoEvictionSink()
        _ = insert(object, weight: weight, &sink)
        return false
    }
}

/// A policy's state contradicts itself; the text names the values.
@usableFromInline
package struct PolicyInvariantViolation: Error, CustomStringConvertible {
    @usableFromInline
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
