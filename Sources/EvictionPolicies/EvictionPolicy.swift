/// The number of an object. Policies know no keys: their user numbers its keys densely from 0.
///
/// State is kept in arrays indexed by number, so a stray number of 4 billion would allocate 16 GiB.
@usableFromInline
package typealias ObjectID = UInt32

/// The limit of a policy.
@usableFromInline
package enum PolicyCapacity: Hashable, Sendable {
    /// A number of objects of any weight: each counts as 1. A negative number counts as 0.
    case entries(Int)
    /// The sum of the objects' weights, such as their bytes. An object without weight counts as 1, so that the number
    /// of objects is bounded too.
    case weight(UInt64)
}

/// Receives the objects that a policy evicts or forgets.
@usableFromInline
package protocol EvictionSink {
    /// A resident object was evicted to make room, or because its new version is too heavy, or a new object was ranked
    /// below all others and refused; not called on an explicit removal.
    mutating func evicted(_ object: ObjectID)
    /// The policy no longer keeps anything about this object, neither the object nor its history, so its number may
    /// be reused for another key. For an object that is evicted and forgotten at once, `evicted` is called first,
    /// then `forgotten`.
    mutating func forgotten(_ object: ObjectID)
}

/// Ignores all events at no cost; for replays, which never reuse numbers.
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

/// Decides which object is evicted next.
///
/// ```swift
/// var policy = LRUPolicy(capacity: .entries(1000))
/// for object in objects { hits += policy.request(object, weight: 1) ? 1 : 0 }
/// ```
///
/// - `request` is for replays; `lookup` and `insert` are its two halves for a live cache. A `lookup` and, on a miss,
///   an `insert` make the same decisions as a `request`.
/// - A policy first evicts and then inserts, and evicts no more than necessary: under ``PolicyCapacity/weight(_:)``
///   one object after another until the new one fits. An object heavier than the whole capacity is not admitted and
///   evicts nothing but its own older version.
/// - Not safe for concurrent use. A policy owns its memory and frees it in its `deinit`.
/// - `request`, `lookup`, `insert` and `remove` cost O(1), amortised, unless a policy says otherwise.
@usableFromInline
package protocol EvictionPolicy: ~Copyable {
    /// Its name, source and parameters.
    static var declaration: PolicyDeclaration { get }

    /// Creates an empty policy with the parameters of its source.
    init(capacity: PolicyCapacity)

    /// Creates an empty policy with chosen parameters.
    init(capacity: PolicyCapacity, settings: PolicySettings)

    /// One request of a trace: a lookup, and an admission on a miss. True on a hit.
    ///
    /// - Parameter weight: used on a miss only; an object keeps the weight with which it was admitted.
    mutating func request(_ object: ObjectID, weight: UInt32) -> Bool

    /// A read, which records the use. False, with nothing recorded, when the object is not resident.
    mutating func lookup(_ object: ObjectID) -> Bool

    /// Admits an object after a miss. A resident object is used and gets the new weight; objects are then evicted in
    /// the policy's order until it fits, which may include the object itself.
    ///
    /// - Returns: whether the object is resident now. When it is not, it is a ghost, or `forgotten` was called for
    ///   its number.
    mutating func insert<Sink: EvictionSink>(_ object: ObjectID, weight: UInt32, _ sink: inout Sink) -> Bool

    /// Removes an object on request: it is not evicted, it leaves no ghost, and its number is free at once. The sink
    /// receives only other objects that are forgotten as a consequence. A ghost of the object is removed as well.
    mutating func remove<Sink: EvictionSink>(_ object: ObjectID, _ sink: inout Sink)

    /// Removes everything, including history and learned state, but keeps the memory. O(objects).
    mutating func removeAll()

    /// Whether an object is resident. Does not record a use.
    func contains(_ object: ObjectID) -> Bool

    /// The number of resident objects.
    var count: Int { get }

    /// The total weight of the resident objects; their number under ``PolicyCapacity/entries(_:)``.
    var weight: UInt64 { get }

    /// Checks that all parts of the state agree, for tests. O(objects).
    ///
    /// - Throws: `PolicyInvariantViolation` when they don't.
    func checkInvariants() throws(PolicyInvariantViolation)
}

extension EvictionPolicy where Self: ~Copyable {
    /// For a policy without parameters.
    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) { self.init(capacity: capacity) }

    /// Removes an object without reporting which ghosts are forgotten with it.
    @inlinable
    package mutating func remove(_ object: ObjectID) {
        var sink = NoEvictionSink()
        remove(object, &sink)
    }

    /// Admits an object without reporting which objects are evicted for it.
    @inlinable
    package mutating func insert(_ object: ObjectID, weight: UInt32) -> Bool {
        var sink = NoEvictionSink()
        return insert(object, weight: weight, &sink)
    }

    /// A lookup, and an admission on a miss; policies with a faster way have their own implementation.
    @inlinable
    @inline(__always)
    package mutating func request(_ object: ObjectID, weight: UInt32) -> Bool {
        if lookup(object) { return true }
        var sink = NoEvictionSink()
        _ = insert(object, weight: weight, &sink)
        return false
    }
}

/// A contradiction in a policy's state; the text names the values.
@usableFromInline
package struct PolicyInvariantViolation: Error, CustomStringConvertible {
    @usableFromInline
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
