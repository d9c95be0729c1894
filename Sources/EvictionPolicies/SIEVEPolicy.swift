/// SIEVE: a hand goes from the oldest to the newest object and takes out the first that was not used since it last
/// passed; unlike with CLOCK, those that it spares keep their places, so that new objects are sifted soon.
///
/// Y. Zhang, J. Yang, Y. Yue, Y. Vigfusson, K. V. Rashmi: SIEVE is Simpler than LRU: an Efficient Turn-Key Eviction
/// Algorithm for Web Caches, NSDI 2024. As in the paper: one bit for each object, eviction before insertion. After the
/// newest object the hand starts again from whichever is the oldest then.
///
/// Weights: the hand goes on until the new object fits.
@usableFromInline
package struct SIEVEPolicy: TablePolicy, ~Copyable {
    /// Queue 0 holds all objects, the last admitted newest; a note of 1 says "used".
    @usableFromInline
    var table = EntryTable<Mark>(queueCount: 1)
    /// The entry that is looked at next; 0 starts from the oldest.
    @usableFromInline
    var hand: UInt32 = 0
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
        table.notes[Int(entry)].value = 1
    }

    @inlinable
    @inline(__always)
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt32, _ sink: inout Sink) -> Bool {
        while !budget.fits(charge) {
            passUsed()
            let leaving = table.charge(hand)
            if budget.fits(charge, inPlaceOf: leaving) {
                let entry = hand
                let victim = table.object(entry)
                hand = table.newer(entry)
                budget.exchange(leaving, for: charge)
                table.give(entry, to: object, charge: charge)
                table.move(entry, toNewestOf: 0)
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

    /// Moves the hand to the first object that was not used, and takes the marks on the way. Something is resident.
    @inlinable
    @inline(__always)
    mutating func passUsed() {
        // Entry 0 is no object and has no mark: there the hand starts again.
        if hand == 0 { hand = table.oldest(0) }
        while table.notes[Int(hand)].value != 0 {
            table.notes[Int(hand)].value = 0
            hand = table.newer(hand)
            if hand == 0 { hand = table.oldest(0) }
        }
    }

    @inlinable
    package mutating func reweigh(_ entry: UInt32, charge: UInt32) {
        budget.exchange(table.charge(entry), for: charge)
        table.setCharge(entry, charge)
    }

    @inlinable
    package mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
        passUsed()
        let victim = table.object(hand)
        takeOut(hand)
        sink.evicted(victim)
        sink.forgotten(victim)
    }

    @inlinable
    mutating func takeOut(_ entry: UInt32) {
        if entry == hand { hand = table.newer(entry) }
        budget.subtract(table.charge(entry))
        table.drop(entry)
    }

    @inlinable
    package mutating func discard<Sink: EvictionSink>(_ object: ObjectID, _ sink: inout Sink) {
        let entry = table.entry(of: object)
        if entry != 0 { takeOut(entry) }
    }

    @inlinable
    package mutating func removeAll() {
        table.removeAll()
        budget.reset()
        hand = 0
    }
}
