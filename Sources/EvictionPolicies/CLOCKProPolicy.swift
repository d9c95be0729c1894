/// CLOCK-Pro: LIRS with marks instead of moves. Hot objects are kept; cold ones leave soon, unless they are used again
/// within a test period, which continues after their eviction.
///
/// S. Jiang, F. Chen, X. Zhang: CLOCK-Pro: An Effective Improvement of the CLOCK Replacement, USENIX ATC 2005. The
/// list of the paper is kept from the old end, where HANDhot is: to move that hand forward is to move the object
/// to the head of the list. HANDcold is at the object that became cold, or was spared, longest ago. HANDtest ends
/// the oldest test period when more ghosts are kept than the cache holds. The target for cold objects grows by the
/// weight of an object that is used in its test period, and shrinks when the period ends without a use.
///
/// Where the paper leaves it open: the target begins with its minimum, 1 % of the capacity (at least 1 entry), and the
/// same share is left to hot objects; while the cache fills, objects are hot until only that share is free (as in
/// Caffeine's simulator). A cold object becomes hot at the head of the list, and then HANDhot demotes the excess,
/// which can be the object itself when all others were used. An object that was evicted in its test period is taken
/// off the list before room is made for it.
///
/// Weights: shares, the target and the ghosts' limit are in units of weight.
@usableFromInline
package struct CLOCKPro<Entry: TableEntry>: TablePolicy, ~Copyable {
    /// The state of an entry, and its neighbours in the queue of resident cold objects.
    @usableFromInline
    package struct Place: EntryNote {
        @usableFromInline
        var newerCold: UInt32 = 0
        @usableFromInline
        var olderCold: UInt32 = 0
        /// The sum of `resident`, `hot`, `inTest` and `used`.
        @usableFromInline
        var state: UInt32 = 0

        @inlinable
        package init() {}
    }

    @usableFromInline static var resident: UInt32 { @inlinable get { 1 } }
    @usableFromInline static var hot: UInt32 { @inlinable get { 2 } }
    @usableFromInline static var inTest: UInt32 { @inlinable get { 4 } }
    /// Used since a hand last passed.
    @usableFromInline static var used: UInt32 { @inlinable get { 8 } }

    /// Queue 0 is the list, its head newest: hot objects, and cold ones in their test period. A cold object out of it
    /// is a ring by itself. Note 0 is the end of the queue of resident cold objects.
    @usableFromInline
    package var table = EntryTable<Place, Entry>(queueCount: 1)
    @usableFromInline
    package var budget: Budget
    /// The least that is left to cold objects, and to hot ones.
    @usableFromInline
    let least: UInt64
    /// m_c, the target weight of the resident cold objects.
    @usableFromInline
    var coldTarget: UInt64
    @usableFromInline
    var hotUsed: UInt64 = 0
    @usableFromInline
    var ghostUsed: UInt64 = 0
    /// HANDtest: in the list all entries older than this one are hot; 0 when nothing is known.
    @usableFromInline
    var testHand: UInt32 = 0

    @inlinable
    package init(capacity: PolicyCapacity) { self.init(capacity: capacity, settings: PolicySettings()) }

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) {
        budget = Budget(capacity)
        least = min(max(budget.share(settings[Self.leastShare]), 1), budget.limit)
        coldTarget = least
    }

    @usableFromInline static var leastShare: PolicyParameter {
        PolicyParameter("cold", .share, 0.001...0.5, standard: 0.01, "the least share of cold objects, and of hot ones")
    }

    @inlinable
    @inline(__always)
    package func residentEntry(of object: ObjectID) -> UInt32 {
        let entry = table.entry(of: object)
        // The state of entry 0 stays 0.
        return table.notes[Int(entry)].state & Self.resident != 0 ? entry : 0
    }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) { table.notes[Int(entry)].state |= Self.used }

    @inlinable
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt32, _ sink: inout Sink) -> Bool {
        var entry = table.entry(of: object)
        let isGhost = entry != 0
        if isGhost {
            unlist(entry)
            ghostUsed &-= UInt64(table.charge(entry))
        }
        while !budget.fits(charge) { evictNext(&sink) }
        if isGhost {
            table.setCharge(entry, charge)
        } else {
            entry = table.add(object, charge: charge)
        }
        budget.add(charge)
        table.notes[Int(entry)].state = Self.resident
        if isGhost {
            adapt(by: charge, grows: true)
            makeHot(entry, &sink)
        } else if budget.used &+ coldTarget <= budget.limit {
            makeHot(entry, &sink)
        } else {
            startTest(entry)
        }
        return true
    }

    /// HANDcold: objects that were used become hot if they are in their test period, and begin one otherwise; the
    /// first that was not used is evicted.
    @inlinable
    package mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
        let entry = turnCold(&sink)
        unlinkCold(entry)
        budget.subtract(table.charge(entry))
        sink.evicted(table.object(entry))
        guard table.notes[Int(entry)].state & Self.inTest != 0 else {
            sink.forgotten(table.object(entry))
            table.drop(entry)
            return
        }
        table.notes[Int(entry)].state = Self.inTest
        ghostUsed &+= UInt64(table.charge(entry))
        while ghostUsed > budget.limit { endOldestTest(&sink) }
    }

    /// Moves HANDcold to an object that is not used; at least one object is resident.
    @inlinable
    mutating func turnCold<Sink: EvictionSink>(_ sink: inout Sink) -> UInt32 {
        while true {
            let entry = table.notes[0].newerCold
            if entry == 0 {
                demoteOne(&sink)
                continue
            }
            let state = table.notes[Int(entry)].state
            if state & Self.used == 0 { return entry }
            unlinkCold(entry)
            table.notes[Int(entry)].state = Self.resident
            if state & Self.inTest != 0 {
                unlist(entry)
                adapt(by: table.charge(entry), grows: true)
                makeHot(entry, &sink)
            } else {
                startTest(entry)
            }
        }
    }

    /// In a live cache the answer is the first object that is unused now, which is the same unless all are used.
    @inlinable
    package mutating func upcomingVictim() -> ObjectID? {
        guard budget.count > 0 else { return nil }
        guard Entry.isPlacedByNumber else {
            var sink = NoEvictionSink()
            return table.object(turnCold(&sink))
        }
        var entry = table.notes[0].newerCold
        while entry != 0, table.notes[Int(entry)].state & Self.used != 0 { entry = table.notes[Int(entry)].newerCold }
        if entry == 0 { entry = table.notes[0].newerCold }
        return table.object(entry == 0 ? table.oldest(0) : entry)
    }

    @inlinable
    package mutating func removeAll() {
        table.removeAll()
        budget.reset()
        coldTarget = least
        hotUsed = 0
        ghostUsed = 0
        testHand = 0
    }
}

/// CLOCK-Pro for replays.
package typealias CLOCKProPolicy = CLOCKPro<TraceEntry>

extension CLOCKPro {
    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "clock-pro", summary: "LIRS with marks instead of moves, and an adaptive share of cold objects",
            source: "Jiang, Chen and Zhang, USENIX ATC 2005",
            agreement: """
                the paper, by a model of it; in libcachesim 0.3.5 objects that return in their test period never hit, \
                up to 65 points more misses
                """,
            advice: """
                Nearly as good as LIRS on loops and scans, with only a mark per hit and at most as many ghosts as \
                entries. An eviction may pass many used objects.
                """,
            parameters: [leastShare])
    }
}
