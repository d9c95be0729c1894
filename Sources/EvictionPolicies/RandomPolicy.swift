/// Random: any resident object goes, each as likely as any other.
///
/// The yardstick of L. A. Belady: A Study of Replacement Algorithms for a Virtual-Storage Computer, IBM Systems
/// Journal 5(2), 1966. The draws come from a seed (SplitMix64; Steele, Lea and Flood, OOPSLA 2014), so that a run can
/// be repeated.
///
/// Weights: objects are drawn until the new one fits.
@usableFromInline
package struct RandomPolicy: TablePolicy, ~Copyable {
    /// Queue 0 is never used: entries 1 to `count` are the resident objects.
    @usableFromInline
    var table = EntryTable<NoNote>(queueCount: 1)
    @usableFromInline
    let seed: UInt64
    @usableFromInline
    var state: UInt64
    @usableFromInline
    package var budget: Budget

    @inlinable
    package init(capacity: PolicyCapacity) {
        self.init(capacity: capacity, seed: 0)
    }

    /// A policy that draws the same objects whenever it has the same seed.
    @inlinable
    package init(capacity: PolicyCapacity, seed: UInt64) {
        self.seed = seed
        state = seed
        budget = Budget(capacity)
    }

    @inlinable
    @inline(__always)
    package func residentEntry(of object: ObjectID) -> UInt32 { table.entry(of: object) }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) {}

    /// The entry of a resident object, drawn; the share that some are too likely is below count / 2^32.
    @inlinable
    @inline(__always)
    mutating func draw() -> UInt32 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed &>> 31
        return 1 &+ UInt32(truncatingIfNeeded: ((mixed &>> 32) &* UInt64(budget.count)) &>> 32)
    }

    @inlinable
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt32, _ sink: inout Sink) -> Bool {
        while !budget.fits(charge) {
            let entry = draw()
            let victim = table.object(entry)
            let leaving = table.charge(entry)
            let isEnough = budget.fits(charge, inPlaceOf: leaving)
            if isEnough {
                budget.exchange(leaving, for: charge)
                table.give(entry, to: object, charge: charge)
            } else {
                takeOut(entry)
            }
            sink.evicted(victim)
            sink.forgotten(victim)
            if isEnough { return true }
        }
        budget.add(charge)
        _ = table.add(object, charge: charge)
        return true
    }

    @inlinable
    package mutating func reweigh(_ entry: UInt32, charge: UInt32) {
        budget.exchange(table.charge(entry), for: charge)
        table.setCharge(entry, charge)
    }

    @inlinable
    package mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
        let entry = draw()
        let victim = table.object(entry)
        takeOut(entry)
        sink.evicted(victim)
        sink.forgotten(victim)
    }

    /// Takes an object out; the last entry's object moves into the gap.
    @inlinable
    mutating func takeOut(_ entry: UInt32) {
        budget.subtract(table.charge(entry))
        table.dropFillingGap(entry)
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
        state = seed
    }
}
