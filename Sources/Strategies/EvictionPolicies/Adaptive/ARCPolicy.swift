/// ARC: one list for recency, one for frequency, and ghosts of both, whose hits decide how the two share the
/// capacity.
///
/// N. Megiddo, D. S. Modha: ARC: A Self-Tuning, Low Overhead Replacement Cache, FAST 2003. As in the paper, the
/// target of T1 is a real number, and its step max(1, B2 / B1), or the reverse, is not rounded.
///
/// Weights: lists and target are in units of weight, and a step is multiplied by the object's weight. REPLACE is
/// repeated until the new object fits. On a miss outside the ghosts, B1 is cut first until T1, B1 and the object are
/// within the capacity. If that is not enough because B1 is empty, the least recently used object of T1 is evicted
/// without a ghost. Otherwise B2 is cut until everything is within twice the capacity.
@usableFromInline
package struct ARC<Entry: TableEntry>: AdaptivePolicy, ~Copyable {
    /// Four queues, T1 and T2 in order of use.
    @usableFromInline
    package var table = EntryTable<QueueNumber, Entry>(queueCount: 4)
    @usableFromInline
    package var budget: Budget
    @usableFromInline
    package var lists = AdaptiveLists()

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) { budget = Budget(capacity) }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) {
        if table.notes[Int(entry)].queue == 0 {
            table.notes[Int(entry)].queue = 1
            lists.recent &-= table.charge(entry)
        }
        table.move(entry, toNewestOf: Self.frequent)
    }

    @inlinable
    @inline(__always)
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt64, _ sink: inout Sink) -> Bool {
        let old = table.entry(of: object)
        if old != 0 {
            adaptAndRevive(old, charge: charge, &sink)
        } else {
            makeRoomForNew(charge, &sink)
            addNew(object, charge: charge)
        }
        return true
    }

    /// Cases II and III of the paper: the object is a ghost.
    @inlinable
    mutating func adaptAndRevive<Sink: EvictionSink>(_ old: UInt32, charge: UInt64, _ sink: inout Sink) {
        let wasRecent = table.notes[Int(old)].queue == 2
        lists.adapt(by: Double(charge), recent: wasRecent, limit: budget.limit)
        unlinkGhost(old)
        while !budget.fits(charge) { replace(isForFrequentGhost: !wasRecent, &sink) }
        revive(old, charge: charge)
    }

    /// Case IV of the paper: the object is neither resident nor a ghost.
    @inlinable
    @inline(__always)
    mutating func makeRoomForNew<Sink: EvictionSink>(_ charge: UInt64, _ sink: inout Sink) {
        cutRecentGhosts(for: charge, &sink)
        while lists.recent &+ charge > budget.limit, budget.used &+ charge > budget.limit {
            evict(table.oldest(Self.recent), &sink)
        }
        cutFrequentGhosts(for: charge, &sink)
        while budget.used &+ charge > budget.limit { replace(isForFrequentGhost: false, &sink) }
    }

    /// Whether REPLACE takes an object of T1.
    @inlinable
    @inline(__always)
    func evictsRecent(isForFrequentGhost: Bool) -> Bool {
        let recentSize = Double(lists.recent)
        let isOverTarget = recentSize > lists.target || (isForFrequentGhost && recentSize == lists.target)
        return (lists.recent > 0 && isOverTarget) || budget.used == lists.recent
    }

    /// The victim of a miss that hits no ghost.
    @inlinable
    package mutating func upcomingVictim() -> ObjectID? {
        guard budget.count > 0 else { return nil }
        let isRecent = lists.recent >= budget.limit || evictsRecent(isForFrequentGhost: false)
        return table.object(table.oldest(isRecent ? Self.recent : Self.frequent))
    }

    /// REPLACE of the paper: evicts the least recently used object of T1 or T2, depending on the target, and keeps
    /// its ghost.
    @inlinable
    @inline(__always)
    mutating func replace<Sink: EvictionSink>(isForFrequentGhost: Bool, _ sink: inout Sink) {
        let isRecent = evictsRecent(isForFrequentGhost: isForFrequentGhost)
        retire(table.oldest(isRecent ? Self.recent : Self.frequent), &sink)
    }

    @inlinable
    package mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
        replace(isForFrequentGhost: false, &sink)
    }

    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "arc", summary: "balances recency and frequency by hits on recently evicted objects",
            source: "Megiddo and Modha, FAST 2003",
            agreement: "libCacheSim and the counts that the paper published for P3, to the last miss",
            advice: """
                Adapts itself between LRU and LFU without a parameter. It keeps a ghost for each entry, and each hit moves an entry.
                """)
    }
}

/// ARC for replays.
package typealias ARCPolicy = ARC<TraceEntry>
