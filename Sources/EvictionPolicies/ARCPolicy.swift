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
package struct ARC<Entry: TableEntry>: TablePolicy, ~Copyable {
    /// T1: resident, used once, in order of use.
    @usableFromInline static var recent: UInt32 { @inlinable get { 0 } }
    /// T2: resident, used again.
    @usableFromInline static var frequent: UInt32 { @inlinable get { 1 } }
    /// B1: ghosts of T1.
    @usableFromInline static var recentGhost: UInt32 { @inlinable get { 2 } }
    /// B2: ghosts of T2.
    @usableFromInline static var frequentGhost: UInt32 { @inlinable get { 3 } }

    @usableFromInline
    package var table = EntryTable<QueueNumber, Entry>(queueCount: 4)
    @usableFromInline
    package var budget: Budget
    /// The weights of the queues T1, T2, B1 and B2.
    @usableFromInline
    var used: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
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
    package mutating func use(_ entry: UInt32) {
        if table.notes[Int(entry)].queue == 0 {
            table.notes[Int(entry)].queue = 1
            let charge = UInt64(table.charge(entry))
            used.0 &-= charge
            used.1 &+= charge
        }
        table.move(entry, toNewestOf: Self.frequent)
    }

    @inlinable
    @inline(__always)
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt32, _ sink: inout Sink) -> Bool {
        let old = table.entry(of: object)
        if old != 0 {
            adaptAndRevive(old, object: object, charge: charge, &sink)
            return true
        }
        makeRoomForNew(UInt64(charge), &sink)
        budget.add(charge)
        used.0 &+= UInt64(charge)
        table.link(table.add(object, charge: charge), before: Self.recent)
        return true
    }

    /// Cases II and III of the paper: the object is a ghost.
    @inlinable
    mutating func adaptAndRevive<Sink: EvictionSink>(
        _ old: UInt32, object: ObjectID, charge: UInt32, _ sink: inout Sink
    ) {
        let weight = Double(charge)
        let wasRecent = table.notes[Int(old)].queue == 2
        if wasRecent {
            target = min(target + weight * max(Double(used.3) / Double(used.2), 1), Double(budget.limit))
            used.2 &-= UInt64(table.charge(old))
        } else {
            target = max(target - weight * max(Double(used.2) / Double(used.3), 1), 0)
            used.3 &-= UInt64(table.charge(old))
        }
        // Unlinked at once, so that cutting its queue can't reach it.
        table.unlink(old)
        while !budget.fits(charge) { replace(isForFrequentGhost: !wasRecent, &sink) }
        table.setCharge(old, charge)
        table.notes[Int(old)].queue = 1
        budget.add(charge)
        used.1 &+= UInt64(charge)
        table.link(old, before: Self.frequent)
    }

    /// Case IV of the paper: the object is neither resident nor a ghost.
    @inlinable
    @inline(__always)
    mutating func makeRoomForNew<Sink: EvictionSink>(_ charge: UInt64, _ sink: inout Sink) {
        while used.0 &+ used.2 &+ charge > budget.limit, used.2 > 0 {
            used.2 &-= forgetOldest(of: Self.recentGhost, &sink)
        }
        while used.0 &+ charge > budget.limit, budget.used &+ charge > budget.limit {
            evict(table.oldest(Self.recent), &sink)
        }
        while budget.used &+ used.2 &+ used.3 &+ charge > 2 &* budget.limit, used.3 > 0 {
            used.3 &-= forgetOldest(of: Self.frequentGhost, &sink)
        }
        while budget.used &+ charge > budget.limit { replace(isForFrequentGhost: false, &sink) }
    }

    /// Forgets a queue's oldest ghost and returns its weight.
    @inlinable
    @inline(__always)
    mutating func forgetOldest<Sink: EvictionSink>(of queue: UInt32, _ sink: inout Sink) -> UInt64 {
        let entry = table.oldest(queue)
        let charge = table.charge(entry)
        sink.forgotten(table.object(entry))
        table.drop(entry)
        return UInt64(charge)
    }

    /// Whether REPLACE takes an object of T1.
    @inlinable
    @inline(__always)
    func evictsRecent(isForFrequentGhost: Bool) -> Bool {
        let recentSize = Double(used.0)
        let isOverTarget = recentSize > target || (isForFrequentGhost && recentSize == target)
        return (used.0 > 0 && isOverTarget) || used.1 == 0
    }

    /// The victim of a miss that hits no ghost.
    @inlinable
    package mutating func upcomingVictim() -> ObjectID? {
        guard budget.count > 0 else { return nil }
        let isRecent = used.0 >= budget.limit || evictsRecent(isForFrequentGhost: false)
        return table.object(table.oldest(isRecent ? Self.recent : Self.frequent))
    }

    /// REPLACE of the paper: evicts the least recently used object of T1 or T2, depending on the target, and keeps
    /// its ghost.
    @inlinable
    @inline(__always)
    mutating func replace<Sink: EvictionSink>(isForFrequentGhost: Bool, _ sink: inout Sink) {
        let fromRecent = evictsRecent(isForFrequentGhost: isForFrequentGhost)
        let entry = table.oldest(fromRecent ? Self.recent : Self.frequent)
        let charge = table.charge(entry)
        budget.subtract(charge)
        if fromRecent {
            used.0 &-= UInt64(charge)
            used.2 &+= UInt64(charge)
        } else {
            used.1 &-= UInt64(charge)
            used.3 &+= UInt64(charge)
        }
        table.notes[Int(entry)].queue = fromRecent ? 2 : 3
        table.move(entry, toNewestOf: fromRecent ? Self.recentGhost : Self.frequentGhost)
        sink.evicted(table.object(entry))
    }

    @inlinable
    package mutating func reweigh(_ entry: UInt32, charge: UInt32) {
        // The object was just used, so it is in T2.
        let old = table.charge(entry)
        used.1 = used.1 &- UInt64(old) &+ UInt64(charge)
        budget.exchange(old, for: charge)
        table.setCharge(entry, charge)
    }

    @inlinable
    package mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
        replace(isForFrequentGhost: false, &sink)
    }

    @inlinable
    package mutating func takeOut(_ entry: UInt32) {
        let charge = table.charge(entry)
        let queue = table.notes[Int(entry)].queue
        switch queue {
        case 0: used.0 &-= UInt64(charge)
        case 1: used.1 &-= UInt64(charge)
        case 2: used.2 &-= UInt64(charge)
        default: used.3 &-= UInt64(charge)
        }
        if queue < 2 { budget.subtract(charge) }
        table.drop(entry)
    }

    @inlinable
    package mutating func removeAll() {
        table.removeAll()
        budget.reset()
        used = (0, 0, 0, 0)
        target = 0
    }
}

/// ARC for replays.
package typealias ARCPolicy = ARC<TraceEntry>

extension ARC {
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
