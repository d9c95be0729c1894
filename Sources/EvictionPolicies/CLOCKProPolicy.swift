/// CLOCK-Pro: LIRS with marks instead of moves. Hot objects are kept; cold ones leave soon, unless they are used again
/// within a test period, which continues after their eviction.
///
/// S. Jiang, F. Chen, X. Zhang: CLOCK-Pro: An Effective Improvement of the CLOCK Replacement, USENIX ATC 2005. The
/// list of the paper is kept from the old end, where HANDhot is: to move that hand forward is to move the object
/// to the head of the list. HANDcold is at the object that became cold, or was spared, longest ago. HANDtest ends
/// the oldest test period when more ghosts are kept than the cache holds. The target for cold objects grows by the
/// weight of an object that is used in its test period, and shrinks when the period ends without a use.
///
/// Where the paper leaves it open, as Caffeine's simulator, which follows the authors' program: an immediate repetition
/// of a request changes nothing. The target begins with its minimum, 1 % of the capacity, at least 2 entries (fewer
/// when the capacity is below 4), and leaves as much to hot objects. While the cache fills, objects are hot until only
/// that share is free. A cold object that was used in its test period becomes hot only if HANDhot can demote another
/// one before it reaches the object; else a new test period begins. Caffeine keeps 2 ghosts for each entry, the paper
/// and this policy 1. On OLTP with 1,000 entries 64.77 % miss (LRU 67.17 %, LIRS 65.20 %).
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
    /// The bounds of the target.
    @usableFromInline
    let least: UInt64
    @usableFromInline
    let most: UInt64
    @usableFromInline
    let ghostLimit: UInt64
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
    /// The entry of the last request, 0 when it is no longer resident.
    @usableFromInline
    var last: UInt32 = 0
    /// The ghost that is being admitted, whose entry is still needed when its test period ends; else 0.
    @usableFromInline
    var returning: UInt32 = 0

    @inlinable
    package init(capacity: PolicyCapacity) { self.init(capacity: capacity, settings: PolicySettings()) }

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) {
        budget = Budget(capacity)
        let share = settings[Self.leastShare]
        least = min(max(budget.share(share), 2), max(budget.limit / 2, min(budget.limit, 1)))
        most = max(min(budget.limit - least, budget.share(1 - share)), least)
        ghostLimit = budget.share(settings[Self.ghostShare])
        coldTarget = least
    }

    @usableFromInline static var leastShare: PolicyParameter {
        PolicyParameter("cold", .share, 0.001...0.5, standard: 0.01, "the least share of cold objects, and of hot ones")
    }

    @usableFromInline static var ghostShare: PolicyParameter {
        PolicyParameter("ghosts", .share, 0...3, standard: 1, "ghosts as a share of the capacity")
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
    package mutating func use(_ entry: UInt32) {
        if entry == last { return }
        last = entry
        table.notes[Int(entry)].state |= Self.used
    }

    @inlinable
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt32, _ sink: inout Sink) -> Bool {
        var entry = table.entry(of: object)
        returning = entry
        while !budget.fits(charge) { evictNext(&sink) }
        var isHot = false
        if entry == 0 {
            entry = table.add(object, charge: charge)
            table.linkAlone(entry)
            isHot = budget.used &+ UInt64(charge) &+ coldTarget <= budget.limit
        } else {
            isHot = canPromote(entry, charge: charge, &sink)
            returning = 0
            if table.notes[Int(entry)].state & Self.inTest != 0 { ghostUsed &-= UInt64(table.charge(entry)) }
            table.setCharge(entry, charge)
        }
        budget.add(charge)
        place(entry, hot: isHot)
        stopAtHot(&sink)
        last = entry
        return true
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
        last = 0
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
                Caffeine's simulator, which keeps 2 ghosts for each entry (ghosts=200%), to the last miss; in \
                libcachesim 0.3.5 objects that return in their test period never hit
                """,
            advice: """
                Nearly as good as LIRS on loops and scans, with only a mark per hit and at most as many ghosts as \
                entries. An eviction may pass many used objects.
                """,
            parameters: [leastShare, ghostShare])
    }
}
