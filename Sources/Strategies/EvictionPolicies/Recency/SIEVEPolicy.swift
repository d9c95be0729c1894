/// SIEVE: a hand moves from the oldest to the newest object and evicts the first that was not used since the hand
/// last passed. Unlike in CLOCK, the skipped objects keep their places, so that new objects are examined soon.
///
/// Y. Zhang, J. Yang, Y. Yue, Y. Vigfusson, K. V. Rashmi: SIEVE is Simpler than LRU: an Efficient Turn-Key Eviction
/// Algorithm for Web Caches, NSDI 2024. As in the paper: one bit for each object, eviction before insertion. After
/// the newest object, the hand restarts from the object that is then the oldest.
///
/// Weights: the hand continues until the new object fits.
@usableFromInline
package struct SIEVE<Entry: TableEntry>: HandPolicy, ~Copyable {
    /// Queue 0 holds all objects in order of admission, the last one newest.
    @usableFromInline
    package var table = EntryTable<UsedBit, Entry>(queueCount: 1)
    @usableFromInline
    package var hand: UInt32 = 0
    @usableFromInline
    package var budget: Budget

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) { budget = Budget(capacity) }

    @inlinable
    @inline(__always)
    package mutating func reenter(_ entry: UInt32) {
        hand = table.newer(entry)
        table.move(entry, toNewestOf: 0)
    }

    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "sieve", summary: "FIFO with a hand that skips used objects and leaves them in place",
            source: "Zhang et al., NSDI 2024",
            agreement: "libcachesim 0.3.5, to the last miss",
            advice: """
                The simplest one that beats LRU on web traffic. It is weak against scans and loops, since an unused old object stays behind the hand.
                """)
    }
}

/// For a cache that keeps the marks itself, where readers on other threads may set them at the same time. The cache
/// enforces its limits, too.
extension SIEVE where Entry == UnitEntry {
    /// The object to evict next; it stays until it is removed. There must be one.
    ///
    /// If threads set marks as fast as the hand clears them, an object is selected after two rounds nevertheless.
    ///
    /// - Parameter clearMark: clears an object's mark, and returns whether it was set.
    @inlinable
    package mutating func nextVictim(clearingMark clearMark: (ObjectID) -> Bool) -> ObjectID {
        let first = UInt32(truncatingIfNeeded: table.place(of: 0))
        let stepsMax = 2 &* budget.count
        var steps = 0
        return moveHand { entry in
            defer { steps &+= 1 }
            return clearMark(entry &- first) && steps <= stepsMax
        } &- first
    }

    /// Replaces an object by one that is not resident, in the same place.
    @inlinable
    package mutating func exchange(_ object: ObjectID, for other: ObjectID) {
        let entry = table.knownEntry(of: object)
        let added = table.add(other, charge: 1)
        table.link(added, before: entry)
        if entry == hand { hand = added }
        table.drop(entry)
    }
}

/// SIEVE for replays.
package typealias SIEVEPolicy = SIEVE<TraceEntry>
