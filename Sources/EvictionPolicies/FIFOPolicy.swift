/// FIFO: the object that was admitted first goes first, whatever its uses.
///
/// L. A. Belady: A Study of Replacement Algorithms for a Virtual-Storage Computer, IBM Systems Journal 5(2), 1966.
/// Exact.
///
/// Weights: the oldest go until the new object fits. A resident object that takes on another weight keeps its place.
@usableFromInline
package struct FIFOPolicy: TablePolicy, ~Copyable {
    /// Queue 0 holds all objects, the last admitted newest.
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
    package mutating func use(_ entry: UInt32) {}

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
        table.link(table.add(object, charge: charge), before: 0)
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
