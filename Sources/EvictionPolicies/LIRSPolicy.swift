/// LIRS: keeps the objects whose last two uses were close together (LIR); the others (HIR) share 1 % of the capacity.
///
/// S. Jiang, X. Zhang: LIRS: An Efficient Low Inter-reference Recency Set Replacement Policy to Improve Buffer Cache
/// Performance, SIGMETRICS 2002. HIR objects get 1 % of the capacity, as in the paper; the first objects become LIR
/// until their share is full.
///
/// Departures from the paper, all as in the authors' program: HIR objects get at least 2 entries (fewer when the
/// capacity is below 3); an immediate repetition of a request changes nothing; and the stack S, which has no limit in
/// the paper, holds at most 2,500 times as many entries as are resident, which hardly limits it. On OLTP with 1,000
/// entries 65.20 % miss and with 5,000 47.20 %, both as in the authors' program; Caffeine's implementation is within
/// 0.4 points on average, and libCacheSim's up to 12 points off. In a live cache, ghosts keep keys alive, so it
/// should use a smaller `stackLimit`, such as 3: HIR objects beyond the limit leave S from the old end, as in the
/// authors' program.
///
/// Weights: shares are in units of weight; the oldest HIR objects of Q are evicted until the new object fits, and
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
    @usableFromInline
    let lirLimit: UInt64
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

    @inlinable
    package init(capacity: PolicyCapacity) { self.init(capacity: capacity, settings: PolicySettings()) }

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
        let most = max(budget.limit, 2) - 1
        let hir = max(budget.share(settings[Self.hirShare]), 2)
        lirLimit = budget.limit - min(min(hir, most), budget.limit)
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
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt32, _ sink: inout Sink) -> Bool {
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
        if isGhost || lirUsed &+ UInt64(charge) <= lirLimit {
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
    package mutating func reweigh(_ entry: UInt32, charge: UInt32) {
        let old = table.charge(entry)
        budget.exchange(old, for: charge)
        table.setCharge(entry, charge)
        guard table.notes[Int(entry)].state & Self.lir != 0 else { return }
        lirUsed = lirUsed &- UInt64(old) &+ UInt64(charge)
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
            lirUsed &-= UInt64(table.charge(entry))
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
    package mutating func discard<Sink: EvictionSink>(_ object: ObjectID, _ sink: inout Sink) {
        let entry = table.entry(of: object)
        if entry != 0 { takeOut(entry) }
        forgetLoose(&sink)
    }

    @inlinable
    package mutating func tellForgotten<Sink: EvictionSink>(_ sink: inout Sink) {
        forgetLoose(&sink)
    }

    @inlinable
    package mutating func removeAll() {
        table.removeAll()
        budget.reset()
        lirUsed = 0
        stackCount = 0
        firstCandidate = 0
        last = 0
    }
}

/// LIRS for replays.
package typealias LIRSPolicy = LIRS<TraceEntry>

extension LIRS {
    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "lirs", summary: "keeps the objects with the shortest time between two uses",
            source: "Jiang and Zhang, SIGMETRICS 2002",
            agreement: "its authors' program, to the last miss",
            advice: """
                The best of the classics on loops and scans. Its stack remembers many evicted keys.
                """,
            parameters: [hirShare, stackMultiple])
    }
}
