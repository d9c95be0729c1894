/// LRU: the object whose last use is longest ago goes first.
///
/// R. L. Mattson, J. Gecsei, D. R. Slutz, I. L. Traiger: Evaluation Techniques for Storage Hierarchies, IBM Systems
/// Journal 9(2), 1970. Exact: one list of all objects, moved on every hit.
///
/// Weights: the least recently used go until the new object fits.
@usableFromInline
package struct LRUPolicy: TablePolicy, ~Copyable {
    /// Queue 0 holds all objects, the last used newest.
    @usableFromInline
    var table = EntryTable<NoNote>(queueCount: 1)
    @usableFromInline
    package var budget: Budget

    @inlinable
    package init(capacity: PolicyCapacity) {
        budget = Budget(capacity)
    }

    @inlinable
    @inline(__always)
    package func residentEntry(of object: ObjectID) -> UInt32 { table.entry(of: object) }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) {
        table.move(entry, toNewestOf: 0)
    }

    @inlinable
    @inline(__always)
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt32, _ sink: inout Sink) -> Bool {
        while !budget.fits(charge) {
            let oldest = table.oldest(0)
            let leaving = table.charge(oldest)
            if budget.fits(charge, inPlaceOf: leaving) {
                let victim = table.object(oldest)
                budget.exchange(leaving, for: charge)
                table.give(oldest, to: object, charge: charge)
                table.move(oldest, toNewestOf: 0)
                sink.evicted(victim)
                sink.forgotten(victim)
                return true
            }
            evictNext(&sink)
        }
        budget.add(charge)
        let entry = table.add(object, charge: charge)
        table.link(entry, before: 0)
        return true
    }

    @inlinable
    package mutating func reweigh(_ entry: UInt32, charge: UInt32) {
        budget.exchange(table.charge(entry), for: charge)
        table.setCharge(entry, charge)
    }

    @inlinable
    package mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
        let oldest = table.oldest(0)
        let victim = table.object(oldest)
        budget.subtract(table.charge(oldest))
        table.drop(oldest)
        sink.evicted(victim)
        sink.forgotten(victim)
    }

    @inlinable
    package mutating func discard<Sink: EvictionSink>(_ object: ObjectID, _ sink: inout Sink) {
        let entry = table.entry(of: object)
        guard entry != 0 else { return }
        budget.subtract(table.charge(entry))
        table.drop(entry)
    }

    @inlinable
    package mutating func removeAll() {
        table.removeAll()
        budget.reset()
    }
}
