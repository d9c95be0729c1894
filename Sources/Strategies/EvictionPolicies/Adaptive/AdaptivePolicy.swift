/// What an ``AdaptivePolicy`` counts.
@usableFromInline
package struct AdaptiveLists {
    /// The weights of the queues T1, B1 and B2; the rest of the budget is in T2.
    @usableFromInline
    var recent: UInt64 = 0
    @usableFromInline
    var recentGhosts: UInt64 = 0
    @usableFromInline
    var frequentGhosts: UInt64 = 0
    /// p, the target weight of T1.
    @usableFromInline
    var target = 0.0

    @inlinable
    init() {}

    /// Moves the target after a miss on a ghost, by at least an object's weight, towards the list that evicted the ghost.
    @inlinable
    @inline(__always)
    mutating func adapt(by weight: Double, recent wasRecent: Bool, limit: UInt64) {
        if wasRecent {
            target = min(target + weight * max(Double(frequentGhosts) / Double(recentGhosts), 1), Double(limit))
        } else {
            target = max(target - weight * max(Double(recentGhosts) / Double(frequentGhosts), 1), 0)
        }
    }
}

/// ARC and CAR: one list for recency, one for frequency, and ghosts of both, whose hits decide how the two share the
/// capacity.
@usableFromInline
package protocol AdaptivePolicy: RememberingPolicy, ~Copyable {
    var lists: AdaptiveLists { get set }
}

extension AdaptivePolicy where Self: ~Copyable {
    /// T1: resident, used once.
    @usableFromInline static var recent: UInt32 { @inlinable get { 0 } }
    /// T2: resident, used again.
    @usableFromInline static var frequent: UInt32 { @inlinable get { 1 } }
    /// B1: ghosts of T1.
    @usableFromInline static var recentGhost: UInt32 { @inlinable get { 2 } }
    /// B2: ghosts of T2.
    @usableFromInline static var frequentGhost: UInt32 { @inlinable get { 3 } }

    /// Evicts an object of T1 or T2, and keeps its ghost.
    @inlinable
    @inline(__always)
    mutating func retire<Sink: EvictionSink>(_ entry: UInt32, _ sink: inout Sink) {
        let charge = table.charge(entry)
        let isRecent = table.notes[Int(entry)].queue == 0
        budget.subtract(charge)
        if isRecent {
            lists.recent &-= charge
            lists.recentGhosts &+= charge
        } else {
            lists.frequentGhosts &+= charge
        }
        table.notes[Int(entry)].queue = isRecent ? 2 : 3
        table.move(entry, toNewestOf: isRecent ? Self.recentGhost : Self.frequentGhost)
        sink.evicted(table.object(entry))
    }

    /// Takes a ghost off its queue for an object that is admitted, so that cutting the queue can't reach it.
    @inlinable
    @inline(__always)
    mutating func unlinkGhost(_ entry: UInt32) {
        let charge = table.charge(entry)
        if table.notes[Int(entry)].queue == 2 { lists.recentGhosts &-= charge } else { lists.frequentGhosts &-= charge }
        table.unlink(entry)
    }

    /// Makes an unlinked ghost the newest of T2.
    @inlinable
    @inline(__always)
    mutating func revive(_ entry: UInt32, charge: UInt64) {
        table.setCharge(entry, charge)
        table.notes[Int(entry)].queue = 1
        budget.add(charge)
        table.link(entry, before: Self.frequent)
    }

    /// Makes a new object the newest of T1.
    @inlinable
    @inline(__always)
    mutating func addNew(_ object: ObjectID, charge: UInt64) {
        budget.add(charge)
        lists.recent &+= charge
        table.link(table.add(object, charge: charge), before: Self.recent)
    }

    /// Cuts B1 until it and T1 are within the capacity.
    @inlinable
    @inline(__always)
    mutating func cutRecentGhosts<Sink: EvictionSink>(for charge: UInt64, _ sink: inout Sink) {
        while lists.recent &+ lists.recentGhosts &+ charge > budget.limit, lists.recentGhosts > 0 {
            lists.recentGhosts &-= forgetOldest(of: Self.recentGhost, &sink)
        }
    }

    /// Cuts B2 until everything is within twice the capacity.
    @inlinable
    @inline(__always)
    mutating func cutFrequentGhosts<Sink: EvictionSink>(for charge: UInt64, _ sink: inout Sink) {
        while budget.used &+ lists.recentGhosts &+ lists.frequentGhosts &+ charge > 2 &* budget.limit,
            lists.frequentGhosts > 0
        {
            lists.frequentGhosts &-= forgetOldest(of: Self.frequentGhost, &sink)
        }
    }

    /// Forgets a queue's oldest ghost and returns its weight.
    @inlinable
    @inline(__always)
    mutating func forgetOldest<Sink: EvictionSink>(of queue: UInt32, _ sink: inout Sink) -> UInt64 {
        let entry = table.oldest(queue)
        let charge = table.charge(entry)
        sink.forgotten(table.object(entry))
        table.drop(entry)
        return charge
    }

    @inlinable
    package mutating func reweigh(_ entry: UInt32, charge: UInt64) {
        let old = table.charge(entry)
        if table.notes[Int(entry)].queue == 0 { lists.recent = lists.recent &- old &+ charge }
        budget.exchange(old, for: charge)
        table.setCharge(entry, charge)
    }

    @inlinable
    package mutating func takeOut(_ entry: UInt32) {
        let charge = table.charge(entry)
        let queue = table.notes[Int(entry)].queue
        switch queue {
        case 0: lists.recent &-= charge
        case 1: break
        case 2: lists.recentGhosts &-= charge
        default: lists.frequentGhosts &-= charge
        }
        if queue < 2 { budget.subtract(charge) }
        table.drop(entry)
    }
}
