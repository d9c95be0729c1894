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

/// Decides which object is evicted next. Its objects are entries of an ``EntryTable``. A policy implements only its own
/// decisions; what all policies have in common is implemented here.
///
/// ```swift
/// var policy = LRUPolicy(capacity: .entries(1000))
/// for object in objects where !policy.lookup(object) { _ = policy.insert(object, weight: 1) }
/// ```
///
/// - A `lookup` and, on a miss, an `insert` make the same decisions as a request of a replay.
/// - A policy first evicts and then inserts, and evicts no more than necessary: under ``PolicyCapacity/weight(_:)``
///   one object after another until the new one fits. An object heavier than the whole capacity is not admitted and
///   evicts nothing but its own older version.
/// - Not safe for concurrent use. A policy owns its memory and frees it in its `deinit`.
/// - `lookup`, `insert` and `remove` cost O(1), amortised, unless a policy says otherwise.
@usableFromInline
package protocol TablePolicy: ~Copyable {
    /// The note of an entry.
    associatedtype Note: EntryNote
    /// The kind of entry, which defines how an object is found in the table.
    associatedtype Entry: TableEntry

    /// Its name, source and parameters.
    static var declaration: PolicyDeclaration { get }

    /// Whether the policy compares new objects with resident ones itself, so that it has no ``upcomingVictim()`` and no
    /// admission belongs in front of it. False unless a policy says otherwise.
    static var comparesNewObjects: Bool { get }

    /// Creates an empty policy; what its settings don't choose is as in its source.
    init(capacity: PolicyCapacity, settings: PolicySettings)

    /// All objects that are resident or remembered.
    var table: EntryTable<Note, Entry> { get set }

    /// The amount of the resident objects, without ghosts.
    var budget: Budget { get set }

    /// The entry of a resident object, else 0.
    func residentEntry(of object: ObjectID) -> UInt32

    /// Records the use of a resident object.
    mutating func use(_ entry: UInt32)

    /// Admits an object that is not resident and not heavier than the capacity; false when it is not kept.
    mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt64, _ sink: inout Sink) -> Bool

    /// Gives a resident object another weight without evicting; the caller enforces the budget.
    mutating func reweigh(_ entry: UInt32, charge: UInt64)

    /// Evicts the next object in the policy's order; at least one object is resident.
    mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink)

    /// The object that the policy evicts next when nothing else happens before; `nil` when nothing is resident, or when
    /// the policy compares new objects with resident ones itself. It may give used objects their second chance
    /// meanwhile, as an eviction does. An admission in front of the policy compares a new object with this one.
    mutating func upcomingVictim() -> ObjectID?

    /// Removes a resident object or a ghost from its queue, the table and the counts.
    mutating func takeOut(_ entry: UInt32)

    /// Reports what was forgotten in lookups, which have no sink. Most policies forget nothing there.
    mutating func tellForgotten<Sink: EvictionSink>(_ sink: inout Sink)

    /// Removes an object on request: it is not evicted, it leaves no ghost, and its number is free at once. The sink
    /// receives only other objects that are forgotten as a consequence. A ghost of the object is removed as well.
    mutating func remove<Sink: EvictionSink>(_ object: ObjectID, _ sink: inout Sink)
}

extension TablePolicy where Self: ~Copyable {
    @inlinable
    package static var comparesNewObjects: Bool { false }

    /// Creates an empty policy with the parameters of its source.
    @inlinable
    package init(capacity: PolicyCapacity) { self.init(capacity: capacity, settings: PolicySettings()) }

    /// A read, which records the use. False, with nothing recorded, when the object is not resident.
    @inlinable
    @inline(__always)
    package mutating func lookup(_ object: ObjectID) -> Bool {
        let entry = residentEntry(of: object)
        guard entry != 0 else { return false }
        use(entry)
        return true
    }

    /// Admits an object after a miss. A resident object is used and gets the new weight; objects are then evicted in
    /// the policy's order until it fits, which may include the object itself.
    ///
    /// - Returns: whether the object is resident now. When it is not, it is a ghost, or `forgotten` was called for
    ///   its number.
    @inlinable
    package mutating func insert<Sink: EvictionSink>(_ object: ObjectID, weight: UInt64, _ sink: inout Sink) -> Bool {
        let charge = budget.charge(weight)
        let entry = residentEntry(of: object)
        guard budget.canEverHold(charge) else {
            // Also drops a ghost, because the history of an object that can't be held is useless.
            remove(object, &sink)
            if entry != 0 { sink.evicted(object) }
            sink.forgotten(object)
            return false
        }
        guard entry != 0 else { return admit(object, charge: charge, &sink) }
        use(entry)
        reweigh(entry, charge: charge)
        while budget.used > budget.limit { evictNext(&sink) }
        tellForgotten(&sink)
        return residentEntry(of: object) != 0
    }

    /// Admits an object without reporting which objects are evicted for it.
    @inlinable
    package mutating func insert(_ object: ObjectID, weight: UInt64) -> Bool {
        var sink = NoEvictionSink()
        return insert(object, weight: weight, &sink)
    }

    /// Removes an object without reporting which ghosts are forgotten with it.
    @inlinable
    package mutating func remove(_ object: ObjectID) {
        var sink = NoEvictionSink()
        remove(object, &sink)
    }

    /// Records the use of an object that is known to be resident; for policies without ghosts.
    @inlinable
    @inline(__always)
    package mutating func useResident(_ object: ObjectID) { use(table.knownEntry(of: object)) }

    /// Makes room for objects with numbers below `objectCount`; see ``EntryTable/reserve(_:)``.
    @inlinable
    package mutating func reserve(_ objectCount: Int) { table.reserve(objectCount) }

    /// Whether an object is resident. Does not record a use.
    @inlinable
    package func contains(_ object: ObjectID) -> Bool { residentEntry(of: object) != 0 }

    /// The number of resident objects.
    @inlinable
    package var count: Int { budget.count }

    /// Removes a resident object, and reports it as evicted and forgotten.
    @inlinable
    @inline(__always)
    mutating func evict<Sink: EvictionSink>(_ entry: UInt32, _ sink: inout Sink) {
        let victim = table.object(entry)
        takeOut(entry)
        sink.evicted(victim)
        sink.forgotten(victim)
    }
}

/// What policies without ghosts do.
extension TablePolicy where Self: ~Copyable {
    @inlinable
    @inline(__always)
    package func residentEntry(of object: ObjectID) -> UInt32 { table.entry(of: object) }

    @inlinable
    package mutating func reweigh(_ entry: UInt32, charge: UInt64) {
        budget.exchange(table.charge(entry), for: charge)
        table.setCharge(entry, charge)
    }

    @inlinable
    @inline(__always)
    package mutating func takeOut(_ entry: UInt32) {
        budget.subtract(table.charge(entry))
        table.drop(entry)
    }

    @inlinable
    @inline(__always)
    package mutating func tellForgotten<Sink: EvictionSink>(_ sink: inout Sink) {}

    @inlinable
    package mutating func remove<Sink: EvictionSink>(_ object: ObjectID, _ sink: inout Sink) {
        let entry = table.entry(of: object)
        if entry != 0 { takeOut(entry) }
    }
}

/// A policy without ghosts that selects a victim. Where a single victim is enough, the new object takes over its
/// entry, which saves freeing one entry and taking another. Unless it says otherwise, it evicts from the old end of
/// queue 0, and new objects enter at the other end.
@usableFromInline
package protocol ExchangePolicy: TablePolicy, ~Copyable {
    /// The entry of the object that is evicted next; at least one object is resident.
    mutating func nextVictim() -> UInt32

    /// Puts a new entry, which is not linked yet, into its place.
    mutating func enter(_ entry: UInt32)

    /// Puts the victim's entry, which now belongs to a new object, into the place of that object.
    mutating func reenter(_ entry: UInt32)
}

extension ExchangePolicy where Self: ~Copyable {
    @inlinable
    @inline(__always)
    package mutating func nextVictim() -> UInt32 { table.oldest(0) }

    @inlinable
    @inline(__always)
    package mutating func enter(_ entry: UInt32) { table.link(entry, before: 0) }

    @inlinable
    @inline(__always)
    package mutating func reenter(_ entry: UInt32) { table.move(entry, toNewestOf: 0) }

    @inlinable
    @inline(__always)
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt64, _ sink: inout Sink) -> Bool {
        while !budget.fits(charge) {
            let entry = nextVictim()
            let leaving = table.charge(entry)
            // Where an object's number is its place, no other object can take it over.
            guard !Entry.isPlacedByNumber, budget.fits(charge, inPlaceOf: leaving) else {
                evict(entry, &sink)
                continue
            }
            let victim = table.object(entry)
            budget.exchange(leaving, for: charge)
            table.give(entry, to: object, charge: charge)
            reenter(entry)
            sink.evicted(victim)
            sink.forgotten(victim)
            return true
        }
        budget.add(charge)
        enter(table.add(object, charge: charge))
        return true
    }

    @inlinable
    package mutating func upcomingVictim() -> ObjectID? { budget.count == 0 ? nil : table.object(nextVictim()) }

    @inlinable
    package mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
        evict(nextVictim(), &sink)
    }
}
