/// CAR: as ARC, but its two lists of resident objects are CLOCKs, so that a hit only sets a mark.
///
/// S. Bansal, D. S. Modha: CAR: Clock with Adaptive Replacement, FAST 2004. As in the paper: a miss first evicts and
/// then adapts the target of T1, a real number whose step max(1, B2 / B1), or the reverse, is not rounded; and T1
/// evicts when it holds at least its target and at least 1.
///
/// Departure from the paper: T1 also evicts when T2 is empty, and the reverse, which only matters where objects are
/// removed or weighed. Caffeine's simulator rounds the steps down (up to 1.5 points apart). libcachesim 0.3.5 does too,
/// adapts before it evicts, forgets ghosts of T1 on ghost hits, and never those of T2 (up to 23 points more misses). On
/// OLTP with 1,000 entries 60.70 % miss (LRU 67.17 %, ARC 61.05 %).
///
/// Weights: lists and target are in units of weight, and a step is multiplied by the object's weight. Objects are
/// evicted until the new one fits; then the ghosts are cut as in ``ARC``.
@usableFromInline
package struct CAR<Entry: TableEntry>: TablePolicy, ~Copyable {
    /// T1: resident, used once, or again since the hand last passed; in order of admission.
    @usableFromInline static var recent: UInt32 { @inlinable get { 0 } }
    /// T2: resident, used again.
    @usableFromInline static var frequent: UInt32 { @inlinable get { 1 } }
    /// B1: ghosts of T1.
    @usableFromInline static var recentGhost: UInt32 { @inlinable get { 2 } }
    /// B2: ghosts of T2.
    @usableFromInline static var frequentGhost: UInt32 { @inlinable get { 3 } }

    /// An object's queue, and whether it was used since the hand last passed.
    @usableFromInline
    package struct Place: QueueNote {
        @usableFromInline
        package var queue: UInt8 = 0
        @usableFromInline
        var isUsed = false

        @inlinable
        package init() {}
    }

    @usableFromInline
    package var table = EntryTable<Place, Entry>(queueCount: 4)
    @usableFromInline
    package var budget: Budget
    /// The weights of the queues T1, B1 and B2; the rest of the budget is in T2.
    @usableFromInline
    var used: (recent: UInt64, recentGhost: UInt64, frequentGhost: UInt64) = (0, 0, 0)
    /// p, the target weight of T1.
    @usableFromInline
    var target = 0.0

    @inlinable
    package init(capacity: PolicyCapacity) {
        budget = Budget(capacity)
    }

    @inlinable
    @inline(__always)
    package func residentEntry(of object: ObjectID) -> UInt32 {
        let entry = table.entry(of: object)
        // Entry 0 belongs to queue 0, whose note is 0.
        return table.notes[Int(entry)].queue >= 2 ? 0 : entry
    }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) { table.notes[Int(entry)].isUsed = true }

    @inlinable
    @inline(__always)
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt32, _ sink: inout Sink) -> Bool {
        let old = table.entry(of: object)
        if old != 0 {
            revive(old, charge: charge, &sink)
            return true
        }
        while !budget.fits(charge) { evictNext(&sink) }
        budget.add(charge)
        used.recent &+= UInt64(charge)
        while used.recent &+ used.recentGhost > budget.limit, used.recentGhost > 0 {
            used.recentGhost &-= forgetOldest(of: Self.recentGhost, &sink)
        }
        while budget.used &+ used.recentGhost &+ used.frequentGhost > 2 &* budget.limit, used.frequentGhost > 0 {
            used.frequentGhost &-= forgetOldest(of: Self.frequentGhost, &sink)
        }
        table.link(table.add(object, charge: charge), before: Self.recent)
        return true
    }

    /// Moves a ghost to T2, and the target towards the list that evicted it.
    @inlinable
    mutating func revive<Sink: EvictionSink>(_ old: UInt32, charge: UInt32, _ sink: inout Sink) {
        while !budget.fits(charge) { evictNext(&sink) }
        let (first, second) = (Double(used.recentGhost), Double(used.frequentGhost))
        if table.notes[Int(old)].queue == 2 {
            target = min(target + Double(charge) * max(second / first, 1), Double(budget.limit))
            used.recentGhost &-= UInt64(table.charge(old))
        } else {
            target = max(target - Double(charge) * max(first / second, 1), 0)
            used.frequentGhost &-= UInt64(table.charge(old))
        }
        table.setCharge(old, charge)
        table.notes[Int(old)].queue = 1
        budget.add(charge)
        table.move(old, toNewestOf: Self.frequent)
    }

    /// Forgets a queue's oldest ghost and returns its weight.
    @inlinable
    @inline(__always)
    mutating func forgetOldest<Sink: EvictionSink>(of queue: UInt32, _ sink: inout Sink) -> UInt64 {
        let entry = table.oldest(queue)
        defer { table.drop(entry) }
        sink.forgotten(table.object(entry))
        return UInt64(table.charge(entry))
    }

    /// The first object, of T1 or T2, that was not used; those before it lose their marks and move to the end of T2.
    @inlinable
    @inline(__always)
    mutating func turn() -> UInt32 {
        while true {
            let isOverTarget = used.recent > 0 && Double(used.recent) >= max(target, 1)
            let isRecent = isOverTarget || table.isEmpty(Self.frequent)
            let entry = table.oldest(isRecent ? Self.recent : Self.frequent)
            guard table.notes[Int(entry)].isUsed else { return entry }
            table.notes[Int(entry)].isUsed = false
            if isRecent {
                table.notes[Int(entry)].queue = 1
                used.recent &-= UInt64(table.charge(entry))
            }
            table.move(entry, toNewestOf: Self.frequent)
        }
    }

    /// Evicts an object and keeps its ghost.
    @inlinable
    @inline(__always)
    package mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
        let entry = turn()
        let charge = table.charge(entry)
        budget.subtract(charge)
        let isRecent = table.notes[Int(entry)].queue == 0
        if isRecent {
            used.recent &-= UInt64(charge)
            used.recentGhost &+= UInt64(charge)
        } else {
            used.frequentGhost &+= UInt64(charge)
        }
        table.notes[Int(entry)].queue = isRecent ? 2 : 3
        table.move(entry, toNewestOf: isRecent ? Self.recentGhost : Self.frequentGhost)
        sink.evicted(table.object(entry))
    }

    @inlinable
    package mutating func upcomingVictim() -> ObjectID? { budget.count == 0 ? nil : table.object(turn()) }

    @inlinable
    package mutating func reweigh(_ entry: UInt32, charge: UInt32) {
        let old = table.charge(entry)
        if table.notes[Int(entry)].queue == 0 { used.recent = used.recent &- UInt64(old) &+ UInt64(charge) }
        budget.exchange(old, for: charge)
        table.setCharge(entry, charge)
    }

    @inlinable
    package mutating func takeOut(_ entry: UInt32) {
        let charge = table.charge(entry)
        let queue = table.notes[Int(entry)].queue
        switch queue {
        case 0: used.recent &-= UInt64(charge)
        case 1: break
        case 2: used.recentGhost &-= UInt64(charge)
        default: used.frequentGhost &-= UInt64(charge)
        }
        if queue < 2 { budget.subtract(charge) }
        table.drop(entry)
    }

    @inlinable
    package mutating func removeAll() {
        table.removeAll()
        budget.reset()
        used = (0, 0, 0)
        target = 0
    }
}

/// CAR for replays.
package typealias CARPolicy = CAR<TraceEntry>

extension CAR {
    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "car", summary: "ARC whose lists are CLOCKs, so that a hit only sets a mark",
            source: "Bansal and Modha, FAST 2004",
            agreement: "Caffeine's simulator with a real target, to the last miss; libcachesim 0.3.5 is faulty",
            advice: """
                Misses about as often as ARC, without its write per hit. It keeps a ghost for each entry, and an \
                eviction may pass many used objects.
                """)
    }
}
