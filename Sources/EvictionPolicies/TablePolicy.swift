/// A policy whose objects are entries of an ``EntryTable``. A policy implements only its own decisions; what all
/// policies have in common is implemented here.
@usableFromInline
package protocol TablePolicy: EvictionPolicy, ~Copyable {
    /// The note of an entry.
    associatedtype Note: EntryNote
    /// The kind of entry, which defines how an object is found in the table.
    associatedtype Entry: TableEntry

    /// Whether the policy compares new objects with resident ones itself, so that it has no ``upcomingVictim()`` and no
    /// admission belongs in front of it. False unless a policy says otherwise.
    static var comparesNewObjects: Bool { get }

    /// All objects that are resident or remembered.
    var table: EntryTable<Note, Entry> { get set }

    /// The amount of the resident objects, without ghosts.
    var budget: Budget { get set }

    /// The entry of a resident object, else 0.
    func residentEntry(of object: ObjectID) -> UInt32

    /// Records the use of a resident object.
    mutating func use(_ entry: UInt32)

    /// Admits an object that is not resident and not heavier than the capacity; false when it is not kept.
    mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt32, _ sink: inout Sink) -> Bool

    /// Gives a resident object another weight without evicting; the caller enforces the budget.
    mutating func reweigh(_ entry: UInt32, charge: UInt32)

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

    /// Removes everything about an object, resident or ghost, and reports nothing about that object.
    mutating func discard<Sink: EvictionSink>(_ object: ObjectID, _ sink: inout Sink)
}

extension TablePolicy where Self: ~Copyable {
    @inlinable
    package static var comparesNewObjects: Bool { false }

    @inlinable
    @inline(__always)
    package mutating func request(_ object: ObjectID, weight: UInt32) -> Bool {
        let entry = residentEntry(of: object)
        if entry != 0 {
            use(entry)
            return true
        }
        var sink = NoEvictionSink()
        let charge = budget.charge(weight)
        if budget.canEverHold(charge) {
            _ = admit(object, charge: charge, &sink)
        } else {
            discard(object, &sink)
        }
        return false
    }

    @inlinable
    @inline(__always)
    package mutating func lookup(_ object: ObjectID) -> Bool {
        let entry = residentEntry(of: object)
        guard entry != 0 else { return false }
        use(entry)
        return true
    }

    @inlinable
    package mutating func insert<Sink: EvictionSink>(_ object: ObjectID, weight: UInt32, _ sink: inout Sink) -> Bool {
        let charge = budget.charge(weight)
        let entry = residentEntry(of: object)
        guard budget.canEverHold(charge) else {
            // Also drops a ghost, because the history of an object that can't be held is useless.
            discard(object, &sink)
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

    @inlinable
    package mutating func remove<Sink: EvictionSink>(_ object: ObjectID, _ sink: inout Sink) {
        discard(object, &sink)
    }

    @inlinable
    @inline(__always)
    package func residentEntry(of object: ObjectID) -> UInt32 { table.entry(of: object) }

    @inlinable
    package mutating func reweigh(_ entry: UInt32, charge: UInt32) {
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
    package mutating func discard<Sink: EvictionSink>(_ object: ObjectID, _ sink: inout Sink) {
        let entry = table.entry(of: object)
        if entry != 0 { takeOut(entry) }
    }

    /// Removes a resident object, and reports it as evicted and forgotten.
    @inlinable
    @inline(__always)
    mutating func evict<Sink: EvictionSink>(_ entry: UInt32, _ sink: inout Sink) {
        let victim = table.object(entry)
        takeOut(entry)
        sink.evicted(victim)
        sink.forgotten(victim)
    }

    /// Records the use of an object that is known to be resident; for policies without ghosts.
    @inlinable
    @inline(__always)
    package mutating func useResident(_ object: ObjectID) { use(table.knownEntry(of: object)) }

    /// Makes room for objects with numbers below `objectCount`; see ``EntryTable/reserve(_:)``.
    @inlinable
    package mutating func reserve(_ objectCount: Int) { table.reserve(objectCount) }

    @inlinable
    package mutating func removeAll() {
        table.removeAll()
        budget.reset()
    }

    @inlinable
    package func contains(_ object: ObjectID) -> Bool { residentEntry(of: object) != 0 }

    @inlinable
    package var count: Int { budget.count }

    @inlinable
    package var weight: UInt64 { budget.used }
}
