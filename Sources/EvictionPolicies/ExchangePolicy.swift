/// A policy without ghosts that selects a victim. Where a single victim is enough, the new object takes over its
/// entry, which saves freeing one entry and taking another.
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
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt32, _ sink: inout Sink) -> Bool {
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

/// A policy that evicts from the old end of one queue, queue 0; new objects enter at the other end.
@usableFromInline
package protocol OneQueuePolicy: ExchangePolicy, ~Copyable {}

extension OneQueuePolicy where Self: ~Copyable {
    @inlinable
    @inline(__always)
    package mutating func nextVictim() -> UInt32 { table.oldest(0) }

    @inlinable
    @inline(__always)
    package mutating func enter(_ entry: UInt32) { table.link(entry, before: 0) }

    @inlinable
    @inline(__always)
    package mutating func reenter(_ entry: UInt32) { table.move(entry, toNewestOf: 0) }
}
