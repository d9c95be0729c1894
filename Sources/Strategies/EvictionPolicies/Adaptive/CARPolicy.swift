/// CAR: as ARC, but its two lists of resident objects are CLOCKs, so that a hit only sets a mark.
///
/// S. Bansal, D. S. Modha: CAR: Clock with Adaptive Replacement, FAST 2004. As in the paper: a miss first evicts and
/// then adapts the target of T1, a real number whose step max(1, B2 / B1), or the reverse, is not rounded; and T1
/// evicts when it holds at least its target and at least 1.
///
/// Departure from the paper: T1 also evicts when T2 is empty, and the reverse, which only matters where objects are
/// removed or weighed. Caffeine's simulator rounds the steps down (up to 1.5 pp apart). libcachesim 0.3.5 does too,
/// adapts before it evicts, forgets ghosts of T1 on ghost hits, and never those of T2 (up to 23 pp more misses). On
/// OLTP with 1,000 entries 60.70 % miss (LRU 67.17 %, ARC 61.05 %).
///
/// Weights: lists and target are in units of weight, and a step is multiplied by the object's weight. Objects are
/// evicted until the new one fits; then the ghosts are cut as in ``ARC``.
@usableFromInline
package struct CAR<Entry: TableEntry>: AdaptivePolicy, ~Copyable {
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

    /// Four queues: T1 in order of admission, T2 in the order in which the hand passed.
    @usableFromInline
    package var table = EntryTable<Place, Entry>(queueCount: 4)
    @usableFromInline
    package var budget: Budget
    @usableFromInline
    package var lists = AdaptiveLists()

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) { budget = Budget(capacity) }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) { table.notes[Int(entry)].isUsed = true }

    @inlinable
    @inline(__always)
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt64, _ sink: inout Sink) -> Bool {
        while !budget.fits(charge) { evictNext(&sink) }
        let old = table.entry(of: object)
        if old != 0 {
            let wasRecent = table.notes[Int(old)].queue == 2
            lists.adapt(by: Double(charge), recent: wasRecent, limit: budget.limit)
            unlinkGhost(old)
            revive(old, charge: charge)
        } else {
            cutRecentGhosts(for: charge, &sink)
            cutFrequentGhosts(for: charge, &sink)
            addNew(object, charge: charge)
        }
        return true
    }

    /// The first object, of T1 or T2, that was not used; those before it lose their marks and move to the end of T2.
    @inlinable
    @inline(__always)
    mutating func turn() -> UInt32 {
        while true {
            let isOverTarget = lists.recent > 0 && Double(lists.recent) >= max(lists.target, 1)
            let isRecent = isOverTarget || table.isEmpty(Self.frequent)
            let entry = table.oldest(isRecent ? Self.recent : Self.frequent)
            guard table.notes[Int(entry)].isUsed else { return entry }
            table.notes[Int(entry)].isUsed = false
            if isRecent {
                table.notes[Int(entry)].queue = 1
                lists.recent &-= table.charge(entry)
            }
            table.move(entry, toNewestOf: Self.frequent)
        }
    }

    @inlinable
    @inline(__always)
    package mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) { retire(turn(), &sink) }

    @inlinable
    package mutating func upcomingVictim() -> ObjectID? { budget.count == 0 ? nil : table.object(turn()) }

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

/// CAR for replays.
package typealias CARPolicy = CAR<TraceEntry>
