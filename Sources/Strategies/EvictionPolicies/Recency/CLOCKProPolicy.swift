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
/// Weights: shares, the target and the ghosts' limit are in units of weight; 2 entries are twice the mean weight of the
/// resident objects.
struct CLOCKProPolicy: TablePolicy, ~Copyable {
    /// The state of an entry, and its neighbours in the queue of resident cold objects.
    struct Place: EntryNote {
        var newerCold: UInt32 = 0
        var olderCold: UInt32 = 0
        /// The sum of `resident`, `hot`, `inTest` and `used`.
        var state: UInt32 = 0
    }

    static var resident: UInt32 { 1 }
    static var hot: UInt32 { 2 }
    static var inTest: UInt32 { 4 }
    /// Used since a hand last passed.
    static var used: UInt32 { 8 }

    /// Queue 0 is the list, its head newest: hot objects, and cold ones in their test period. A cold object out of it
    /// is a ring by itself. Note 0 is the end of the queue of resident cold objects.
    var table = EntryTable<Place, TraceEntry>(queueCount: 1)
    var budget: Budget
    /// The least share of cold objects in weight, before the minimum, and the greatest.
    let leastWeight: UInt64
    let mostWeight: UInt64
    let ghostLimit: UInt64
    /// m_c, the target weight of the resident cold objects, before its bounds.
    var target: UInt64 = 0
    var hotUsed: UInt64 = 0
    var ghostUsed: UInt64 = 0
    /// HANDtest: in the list all entries older than this one are hot; 0 when nothing is known.
    var testHand: UInt32 = 0
    /// The entry of the last request, 0 when it is no longer resident.
    var last: UInt32 = 0
    /// The ghost that is being admitted, whose entry is still needed when its test period ends; else 0.
    var returning: UInt32 = 0

    init(capacity: PolicyCapacity, settings: PolicySettings) {
        budget = Budget(capacity)
        let share = settings[Self.leastShare]
        leastWeight = budget.share(share)
        mostWeight = budget.share(1 - share)
        ghostLimit = budget.share(settings[Self.ghostShare])
    }

    /// The least target.
    var least: UInt64 {
        min(max(leastWeight, 2 &* budget.meanCharge), max(budget.limit / 2, min(budget.limit, 1)))
    }

    /// The target within its bounds.
    var coldTarget: UInt64 {
        let least = least
        return max(min(target, min(budget.limit - least, mostWeight)), least)
    }

    static var leastShare: PolicyParameter {
        PolicyParameter("cold", .share, 0.001...0.5, standard: 0.01, "the least share of cold objects, and of hot ones")
    }

    static var ghostShare: PolicyParameter {
        PolicyParameter("ghosts", .share, 0...3, standard: 1, "ghosts as a share of the capacity")
    }

    @inline(__always)
    func residentEntry(of object: ObjectID) -> UInt32 {
        let entry = table.entry(of: object)
        // The state of entry 0 stays 0.
        return table.notes[Int(entry)].state & Self.resident != 0 ? entry : 0
    }

    @inline(__always)
    mutating func use(_ entry: UInt32) {
        if entry == last { return }
        last = entry
        table.notes[Int(entry)].state |= Self.used
    }

    mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt64, _ sink: inout Sink) -> Bool {
        var entry = table.entry(of: object)
        returning = entry
        while !budget.fits(charge) { evictNext(&sink) }
        var isHot = false
        if entry == 0 {
            entry = table.add(object, charge: charge)
            table.linkAlone(entry)
            isHot = budget.used &+ charge &+ coldTarget <= budget.limit
        } else {
            isHot = canPromote(entry, charge: charge, &sink)
            returning = 0
            if table.notes[Int(entry)].state & Self.inTest != 0 { ghostUsed &-= table.charge(entry) }
            table.setCharge(entry, charge)
        }
        budget.add(charge)
        place(entry, hot: isHot)
        stopAtHot(&sink)
        last = entry
        return true
    }

    mutating func upcomingVictim() -> ObjectID? {
        guard budget.count > 0 else { return nil }
        var sink = NoEvictionSink()
        return table.object(turnCold(&sink))
    }

    /// Evicts the object of HANDcold, which becomes a ghost if it is in its test period.
    mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
        let entry = turnCold(&sink)
        unlinkCold(entry)
        if entry == last { last = 0 }
        budget.subtract(table.charge(entry))
        sink.evicted(table.object(entry))
        guard table.notes[Int(entry)].state & Self.inTest != 0 else {
            sink.forgotten(table.object(entry))
            table.drop(entry)
            return
        }
        table.notes[Int(entry)].state = Self.inTest
        ghostUsed &+= table.charge(entry)
        while ghostUsed > ghostLimit { endOldestTest(&sink) }
    }

    /// Moves HANDcold to an object that is not used. Those before it become hot or begin another test period. At least
    /// one object is resident.
    mutating func turnCold<Sink: EvictionSink>(_ sink: inout Sink) -> UInt32 {
        while true {
            let entry = table.notes[0].newerCold
            if entry == 0 {
                demoteOne(&sink)
                continue
            }
            if table.notes[Int(entry)].state & Self.used == 0 { return entry }
            let isHot = canPromote(entry, charge: table.charge(entry), &sink)
            unlinkCold(entry)
            place(entry, hot: isHot)
            stopAtHot(&sink)
        }
    }

    /// Puts a resident object at the head of the list, as a hot one or as a cold one whose test period begins.
    mutating func place(_ entry: UInt32, hot isHot: Bool) {
        unlist(entry)
        table.link(entry, before: 0)
        table.notes[Int(entry)].state = Self.resident | (isHot ? Self.hot : Self.inTest)
        if isHot { hotUsed &+= table.charge(entry) } else { linkCold(entry) }
    }

    /// Whether a cold object that was used may become hot: it must be in its test period, and HANDhot finds room.
    mutating func canPromote<Sink: EvictionSink>(_ entry: UInt32, charge: UInt64, _ sink: inout Sink) -> Bool {
        guard table.notes[Int(entry)].state & Self.inTest != 0 else { return false }
        adapt(by: charge, grows: true)
        table.notes[Int(entry)].state &= ~Self.used
        while hotUsed &+ charge &+ coldTarget > budget.limit {
            let isInTest = table.notes[Int(entry)].state & Self.inTest != 0
            guard isInTest, demoteOne(before: entry, &sink) else { return false }
        }
        return true
    }

    /// HANDhot: spares hot objects that were used, and makes the first other one cold. False when it reaches an entry
    /// of the list first.
    @discardableResult
    mutating func demoteOne<Sink: EvictionSink>(before end: UInt32 = 0, _ sink: inout Sink) -> Bool {
        var isDone = false
        while !isDone {
            let entry = table.oldest(0)
            if entry == end { break }
            let state = table.notes[Int(entry)].state
            if state & Self.hot == 0 {
                endTest(entry, &sink)
                continue
            }
            unlist(entry)
            if state & Self.used != 0 {
                table.notes[Int(entry)].state = Self.resident | Self.hot
                table.link(entry, before: 0)
                continue
            }
            hotUsed &-= table.charge(entry)
            table.notes[Int(entry)].state = Self.resident
            table.linkAlone(entry)
            linkCold(entry)
            isDone = true
        }
        stopAtHot(&sink)
        return isDone
    }

    /// HANDhot moves on to a hot object; the test periods of the cold objects before it end.
    @inline(__always)
    mutating func stopAtHot<Sink: EvictionSink>(_ sink: inout Sink) {
        guard hotUsed > 0 else { return }
        while true {
            let entry = table.oldest(0)
            if table.notes[Int(entry)].state & Self.hot != 0 { return }
            endTest(entry, &sink)
        }
    }

    /// HANDtest; there is an object in its test period.
    mutating func endOldestTest<Sink: EvictionSink>(_ sink: inout Sink) {
        if testHand == 0 { testHand = table.oldest(0) }
        while table.notes[Int(testHand)].state & Self.hot != 0 { testHand = table.newer(testHand) }
        endTest(testHand, &sink)
    }

    /// Ends the test period of a cold object, which is forgotten if it is not resident.
    mutating func endTest<Sink: EvictionSink>(_ entry: UInt32, _ sink: inout Sink) {
        let state = table.notes[Int(entry)].state
        let charge = table.charge(entry)
        adapt(by: charge, grows: state & Self.used != 0)
        unlist(entry)
        table.linkAlone(entry)
        table.notes[Int(entry)].state = state & ~Self.inTest
        if state & Self.resident != 0 { return }
        ghostUsed &-= charge
        if entry == returning { return }
        sink.forgotten(table.object(entry))
        table.drop(entry)
    }

    /// Moves the target for cold objects within its bounds.
    @inline(__always)
    mutating func adapt(by charge: UInt64, grows: Bool) {
        let (weight, old) = (charge, coldTarget)
        target = grows ? old &+ weight : old &- min(old, weight)
        target = coldTarget
    }

    /// Takes an entry off the list, or out of its ring.
    @inline(__always)
    mutating func unlist(_ entry: UInt32) {
        if entry == testHand { testHand = table.newer(entry) }
        table.unlink(entry)
    }

    @inline(__always)
    func unlinkCold(_ entry: UInt32) {
        let place = table.notes[Int(entry)]
        table.notes[Int(place.olderCold)].newerCold = place.newerCold
        table.notes[Int(place.newerCold)].olderCold = place.olderCold
    }

    /// Makes an entry the newest of the resident cold objects.
    @inline(__always)
    func linkCold(_ entry: UInt32) {
        let newest = table.notes[0].olderCold
        table.notes[Int(entry)].newerCold = 0
        table.notes[Int(entry)].olderCold = newest
        table.notes[Int(newest)].newerCold = entry
        table.notes[0].olderCold = entry
    }

    mutating func reweigh(_ entry: UInt32, charge: UInt64) {
        let old = table.charge(entry)
        budget.exchange(old, for: charge)
        table.setCharge(entry, charge)
        if table.notes[Int(entry)].state & Self.hot != 0 { hotUsed = hotUsed &- old &+ charge }
    }

    mutating func takeOut(_ entry: UInt32) {
        let charge = table.charge(entry)
        let state = table.notes[Int(entry)].state
        if state & Self.resident == 0 {
            ghostUsed &-= charge
        } else {
            budget.subtract(charge)
            if state & Self.hot != 0 { hotUsed &-= charge } else { unlinkCold(entry) }
        }
        unlist(entry)
        table.linkAlone(entry)
        if entry == last { last = 0 }
        table.drop(entry)
    }

    mutating func remove<Sink: EvictionSink>(_ object: ObjectID, _ sink: inout Sink) {
        let entry = table.entry(of: object)
        guard entry != 0 else { return }
        takeOut(entry)
        stopAtHot(&sink)
    }

    static var declaration: PolicyDeclaration {
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
