/// LIRS: keeps the objects whose last two uses were close together (LIR); the others (HIR) share 1 % of the capacity.
///
/// S. Jiang, X. Zhang: LIRS: An Efficient Low Inter-reference Recency Set Replacement Policy to Improve Buffer Cache
/// Performance, SIGMETRICS 2002. HIR objects get 1 % of the capacity, as in the paper; the first objects become LIR
/// until the cache holds their share.
///
/// Departures from the paper, all as in the authors' program: HIR objects get at least 2 entries (fewer when the
/// capacity is below 3); an immediate repetition of a request changes nothing; and the stack S, which has no limit in
/// the paper, holds at most 2,500 times as many entries as are resident, which hardly limits it. On OLTP with 1,000
/// entries 65.20 % miss and with 5,000 47.20 %, both as in the authors' program; Caffeine's implementation is within
/// 0.4 pp on average, and libCacheSim's up to 12 pp off. In a live cache, ghosts keep keys alive, so it
/// should use a smaller `stackLimit`, such as 3: HIR objects beyond the limit leave S from the old end, as in the
/// authors' program.
///
/// Weights: shares are in units of weight, and 2 entries are twice the mean weight of the resident objects, or a share
/// below an object would demote a LIR object for almost every new one. The oldest HIR objects of Q are evicted until the new object fits, and
/// when Q is empty the oldest LIR object is moved to it.
@usableFromInline
package struct LIRS<Entry: TableEntry>: TablePolicy, ~Copyable {
    /// The state of an entry, and its neighbours in Q, the queue of resident HIR objects.
    @usableFromInline
    package struct Place: EntryNote {
        @usableFromInline
        var newerInQ: UInt32 = 0
        @usableFromInline
        var olderInQ: UInt32 = 0
        /// The sum of `resident`, `inStack` and `lir`.
        @usableFromInline
        var state: UInt32 = 0

        @inlinable
        package init() {}
    }

    @usableFromInline static var resident: UInt32 { @inlinable get { 1 } }
    @usableFromInline static var inStack: UInt32 { @inlinable get { 2 } }
    @usableFromInline static var lir: UInt32 { @inlinable get { 4 } }

    /// Queue 0 is the stack S, with the last used entry newest. Its oldest entry is always LIR. Note 0 is the end of
    /// Q. Queue 1 holds entries that will be forgotten.
    @usableFromInline
    package var table = EntryTable<Place, Entry>(queueCount: 2)
    @usableFromInline
    package var budget: Budget
    /// The share of HIR objects in weight, before the minimum.
    @usableFromInline
    let hirWeight: UInt64
    @usableFromInline
    let stackLimit: Int
    @usableFromInline
    var lirUsed: UInt64 = 0
    @usableFromInline
    var stackCount = 0
    /// In S all entries older than this one are LIR; 0 when nothing is known.
    @usableFromInline
    var firstCandidate: UInt32 = 0
    /// The entry of the last request, 0 when it is no longer resident.
    @usableFromInline
    var last: UInt32 = 0

    /// A policy whose stack is bounded.
    ///
    /// - Parameter stackLimit: the maximum size of S as a multiple of the number of resident entries, from 1 to 2^20.
    @inlinable
    package init(capacity: PolicyCapacity, stackLimit: Int) {
        var settings = PolicySettings()
        settings[Self.stackMultiple] = Double(stackLimit)
        self.init(capacity: capacity, settings: settings)
    }

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) {
        budget = Budget(capacity)
        stackLimit = settings.count(Self.stackMultiple)
        hirWeight = budget.share(settings[Self.hirShare])
    }

    /// The weight that LIR objects may have.
    @inlinable
    @inline(__always)
    var lirLimit: UInt64 {
        let most = max(budget.limit, 2) - 1
        let hir = max(hirWeight, 2 &* budget.meanCharge)
        return budget.limit - min(min(hir, most), budget.limit)
    }

    @usableFromInline static var hirShare: PolicyParameter {
        PolicyParameter("hir", .share, 0.001...0.99, standard: 0.01, "the share of HIR objects, at least 2 entries")
    }

    @usableFromInline static var stackMultiple: PolicyParameter {
        PolicyParameter("stack", .count, 1...0x1p20, standard: 2500, "the limit of S in entries for each resident one")
    }

    @inlinable
    @inline(__always)
    package func residentEntry(of object: ObjectID) -> UInt32 {
        let entry = table.entry(of: object)
        return table.notes[Int(entry)].state & Self.resident != 0 ? entry : 0
    }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) {
        if entry == last { return }
        last = entry
        let state = table.notes[Int(entry)].state
        if state & Self.lir != 0 {
            let wasOldest = table.oldest(0) == entry
            moveToTop(entry)
            if wasOldest { prune() }
        } else {
            useResidentHIR(entry)
        }
        limitStack()
    }

    @inlinable
    mutating func useResidentHIR(_ entry: UInt32) {
        unlinkFromQ(entry)
        if table.notes[Int(entry)].state & Self.inStack != 0 {
            moveToTop(entry)
            makeLIR(entry)
        } else {
            pushOnStack(entry)
            linkIntoQ(entry)
            if table.oldest(0) == entry { prune() }
        }
    }

    @inlinable
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt64, _ sink: inout Sink) -> Bool {
        var entry = table.entry(of: object)
        let isGhost = entry != 0 && table.notes[Int(entry)].state & Self.inStack != 0
        if entry == 0 {
            while !budget.fits(charge) { evictOldest(&sink) }
            entry = table.add(object, charge: charge)
        } else {
            // Unlinked at once, so that making room can't reach it.
            if isGhost { unlinkFromStack(entry) } else { table.unlink(entry) }
            while !budget.fits(charge) { evictOldest(&sink) }
            table.setCharge(entry, charge)
        }
        budget.add(charge)
        table.notes[Int(entry)].state = Self.resident
        pushOnStack(entry)
        if isGhost || budget.used <= lirLimit {
            makeLIR(entry)
        } else {
            linkIntoQ(entry)
            if table.oldest(0) == entry { prune() }
        }
        last = entry
        limitStack()
        forgetLoose(&sink)
        return true
    }

    @inlinable
    package mutating func reweigh(_ entry: UInt32, charge: UInt64) {
        let old = table.charge(entry)
        budget.exchange(old, for: charge)
        table.setCharge(entry, charge)
        guard table.notes[Int(entry)].state & Self.lir != 0 else { return }
        lirUsed = lirUsed &- old &+ charge
        demoteExcess()
    }

    @inlinable
    package mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
        evictOldest(&sink)
        limitStack()
        forgetLoose(&sink)
    }

    @inlinable
    package mutating func upcomingVictim() -> ObjectID? {
        let hir = table.notes[0].newerInQ
        return budget.count == 0 ? nil : table.object(hir == 0 ? table.oldest(0) : hir)
    }

    @inlinable
    package mutating func takeOut(_ entry: UInt32) {
        let state = table.notes[Int(entry)].state
        if state & Self.resident != 0 { budget.subtract(table.charge(entry)) }
        if state & Self.lir != 0 {
            lirUsed &-= table.charge(entry)
        } else if state & Self.resident != 0 {
            unlinkFromQ(entry)
        }
        if state & Self.inStack != 0 { unlinkFromStack(entry) } else { table.unlink(entry) }
        table.linkAlone(entry)
        if entry == last { last = 0 }
        table.drop(entry)
        prune()
        limitStack()
    }

    @inlinable
    package mutating func remove<Sink: EvictionSink>(_ object: ObjectID, _ sink: inout Sink) {
        let entry = table.entry(of: object)
        if entry != 0 { takeOut(entry) }
        forgetLoose(&sink)
    }

    @inlinable
    package mutating func tellForgotten<Sink: EvictionSink>(_ sink: inout Sink) {
        forgetLoose(&sink)
    }

    /// The queue of entries that are neither resident nor in S. They wait here because a lookup has no sink to report
    /// forgotten objects to.
    @usableFromInline static var loose: UInt32 { @inlinable get { 1 } }

    /// Pushes an entry onto the top of S.
    @inlinable
    @inline(__always)
    mutating func pushOnStack(_ entry: UInt32) {
        table.link(entry, before: 0)
        table.notes[Int(entry)].state |= Self.inStack
        stackCount &+= 1
    }

    @inlinable
    @inline(__always)
    mutating func unlinkFromStack(_ entry: UInt32) {
        if entry == firstCandidate { firstCandidate = table.newer(entry) }
        table.unlink(entry)
        table.notes[Int(entry)].state &= ~Self.inStack
        stackCount &-= 1
    }

    @inlinable
    @inline(__always)
    mutating func moveToTop(_ entry: UInt32) {
        if entry == firstCandidate { firstCandidate = table.newer(entry) }
        table.move(entry, toNewestOf: 0)
    }

    /// Removes HIR objects from the old end of S until a LIR object is there.
    @inlinable
    mutating func prune() {
        while true {
            let oldest = table.oldest(0)
            if oldest == 0 || table.notes[Int(oldest)].state & Self.lir != 0 { return }
            takeOffStack(oldest)
        }
    }

    /// Removes a HIR object from S; a ghost then has no place any more.
    @inlinable
    @inline(__always)
    mutating func takeOffStack(_ entry: UInt32) {
        unlinkFromStack(entry)
        makeLoose(entry)
    }

    /// Queues an entry to be forgotten, unless it is resident.
    @inlinable
    @inline(__always)
    mutating func makeLoose(_ entry: UInt32) {
        // Every entry outside S is either in a ring by itself or in the queue of loose entries.
        if table.notes[Int(entry)].state & Self.resident != 0 {
            table.linkAlone(entry)
        } else {
            table.link(entry, before: Self.loose)
        }
    }

    /// Keeps S within its limit by removing the oldest HIR objects.
    @inlinable
    @inline(__always)
    mutating func limitStack() {
        if stackCount > stackCapacity { shortenStack() }
    }

    /// The maximum number of entries in S. All LIR objects always fit.
    @inlinable
    @inline(__always)
    var stackCapacity: Int { stackLimit &* max(budget.count, 1) }

    @inlinable
    @inline(never)
    mutating func shortenStack() {
        while stackCount > stackCapacity {
            if firstCandidate == 0 { firstCandidate = table.oldest(0) }
            while table.notes[Int(firstCandidate)].state & Self.lir != 0 {
                firstCandidate = table.newer(firstCandidate)
            }
            if firstCandidate != 0 { takeOffStack(firstCandidate) }
        }
    }

    @inlinable
    @inline(__always)
    func unlinkFromQ(_ entry: UInt32) {
        let place = table.notes[Int(entry)]
        table.notes[Int(place.olderInQ)].newerInQ = place.newerInQ
        table.notes[Int(place.newerInQ)].olderInQ = place.olderInQ
    }

    /// Makes an entry the newest of Q.
    @inlinable
    @inline(__always)
    func linkIntoQ(_ entry: UInt32) {
        let newest = table.notes[0].olderInQ
        table.notes[Int(entry)].newerInQ = 0
        table.notes[Int(entry)].olderInQ = newest
        table.notes[Int(newest)].newerInQ = entry
        table.notes[0].olderInQ = entry
    }

    /// Makes a resident object LIR that is on top of S and not in Q; old LIR objects are demoted for it.
    @inlinable
    @inline(__always)
    mutating func makeLIR(_ entry: UInt32) {
        table.notes[Int(entry)].state |= Self.lir
        lirUsed &+= table.charge(entry)
        demoteExcess()
    }

    /// Moves the oldest LIR objects to Q until LIR is within its share.
    @inlinable
    @inline(__always)
    mutating func demoteExcess() {
        while lirUsed > lirLimit { demoteOldest() }
    }

    @inlinable
    mutating func demoteOldest() {
        let oldest = table.oldest(0)
        lirUsed &-= table.charge(oldest)
        table.notes[Int(oldest)].state &= ~Self.lir
        takeOffStack(oldest)
        linkIntoQ(oldest)
        prune()
    }

    /// Evicts the oldest object of Q. If it is in S, it stays there as a ghost.
    @inlinable
    mutating func evictOldest<Sink: EvictionSink>(_ sink: inout Sink) {
        if table.notes[0].newerInQ == 0 { demoteOldest() }
        let entry = table.notes[0].newerInQ
        unlinkFromQ(entry)
        budget.subtract(table.charge(entry))
        table.notes[Int(entry)].state &= ~Self.resident
        if entry == last { last = 0 }
        sink.evicted(table.object(entry))
        if table.notes[Int(entry)].state & Self.inStack == 0 { makeLoose(entry) }
    }

    /// Forgets the entries that are neither resident nor in S.
    @inlinable
    @inline(__always)
    mutating func forgetLoose<Sink: EvictionSink>(_ sink: inout Sink) {
        while !table.isEmpty(Self.loose) {
            let entry = table.oldest(Self.loose)
            sink.forgotten(table.object(entry))
            table.drop(entry)
        }
    }

    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "lirs", summary: "keeps the objects with the shortest reuse distance",
            source: "Jiang and Zhang, SIGMETRICS 2002",
            agreement: "its authors' program, to the last miss",
            advice: """
                The best of the classics on loops and scans. Its stack remembers many evicted keys.
                """,
            parameters: [hirShare, stackMultiple])
    }
}

/// LIRS for replays.
package typealias LIRSPolicy = LIRS<TraceEntry>
