/// The note of an object of a ``SmallQueuePolicy``.
@usableFromInline
package protocol UsesNote: QueueNote {
    /// The number of uses that are counted.
    var uses: UInt8 { get set }
}

/// S3-FIFO and its relatives: new objects wait in a small queue. Those that are used there move to the main queue, a
/// CLOCK that counts; the others become ghosts, which the policy admits to the main queue later.
@usableFromInline
package protocol SmallQueuePolicy: OneGhostQueuePolicy, ~Copyable where Note: UsesNote {
    /// The main queue evicts when it holds more; the small queue has the rest of the capacity.
    var mainLimit: UInt64 { get }
    var mainUsed: UInt64 { get set }
    /// Whether anything was evicted yet.
    var hasEvicted: Bool { get set }
    /// Whether new objects enter the main queue while the small queue is full but nothing was evicted yet.
    var fillsMain: Bool { get }
    /// The number of uses after which an object moves to the main queue.
    var usesToMove: UInt8 { get }
    /// The number of rounds that an object of the main queue can earn.
    var roundsMax: UInt8 { get }

    /// An object is about to leave the small queue.
    mutating func leaveSmall(_ entry: UInt32)
}

extension SmallQueuePolicy where Self: ~Copyable {
    @usableFromInline static var small: UInt32 { @inlinable get { 0 } }
    @usableFromInline static var main: UInt32 { @inlinable get { 1 } }
    @usableFromInline static var ghost: UInt32 { @inlinable get { 2 } }

    /// The main queue's limit for a share of the small queue, which has at least 1 entry.
    @inlinable
    static func mainLimit(of budget: Budget, small share: Double) -> UInt64 {
        budget.limit - min(max(budget.share(share), 1), budget.limit)
    }

    @inlinable
    @inline(__always)
    package mutating func leaveSmall(_ entry: UInt32) {}

    /// Whether a new object enters the main queue although it is no ghost.
    @inlinable
    @inline(__always)
    var isFillingMain: Bool {
        fillsMain && !hasEvicted && budget.used &- mainUsed >= budget.limit &- mainLimit
    }

    /// Links a new entry into the main queue or the small one.
    @inlinable
    @inline(__always)
    mutating func enter(_ entry: UInt32, charge: UInt64, main isMain: Bool) {
        if isMain {
            table.notes[Int(entry)].queue = 1
            mainUsed &+= charge
            table.link(entry, before: Self.main)
        } else {
            table.link(entry, before: Self.small)
        }
        budget.add(charge)
    }

    @inlinable
    package mutating func reweigh(_ entry: UInt32, charge: UInt64) {
        let old = table.charge(entry)
        if table.notes[Int(entry)].queue == 1 { mainUsed = mainUsed &- old &+ charge }
        budget.exchange(old, for: charge)
        table.setCharge(entry, charge)
    }

    @inlinable
    package mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
        hasEvicted = true
        if mainUsed > mainLimit || table.isEmpty(Self.small) {
            evict(turnMain(), &sink)
        } else {
            evictFromSmall(&sink)
        }
    }

    @inlinable
    package mutating func upcomingVictim() -> ObjectID? {
        while mainUsed <= mainLimit, !table.isEmpty(Self.small) {
            let entry = table.oldest(Self.small)
            guard table.notes[Int(entry)].uses >= usesToMove else { return table.object(entry) }
            promote(entry)
        }
        return budget.count == 0 ? nil : table.object(turnMain())
    }

    /// Evicts the first object of the small queue that was not used enough; the objects before it move to the main
    /// queue. When all of them have moved there, nothing is evicted.
    @inlinable
    @inline(__always)
    mutating func evictFromSmall<Sink: EvictionSink>(_ sink: inout Sink) {
        while !table.isEmpty(Self.small) {
            let entry = table.oldest(Self.small)
            if table.notes[Int(entry)].uses >= usesToMove {
                promote(entry)
            } else {
                retire(entry, &sink)
                return
            }
        }
    }

    /// Moves an object of the small queue to the main queue.
    @inlinable
    @inline(__always)
    mutating func promote(_ entry: UInt32) {
        leaveSmall(entry)
        table.notes[Int(entry)].uses = 0
        table.notes[Int(entry)].queue = 1
        mainUsed &+= table.charge(entry)
        table.move(entry, toNewestOf: Self.main)
    }

    /// The first object of the main queue without rounds left; each object before it loses one and moves to the end.
    @inlinable
    mutating func turnMain() -> UInt32 {
        while true {
            let entry = table.oldest(Self.main)
            let uses = min(table.notes[Int(entry)].uses, roundsMax)
            if uses == 0 { return entry }
            table.notes[Int(entry)].uses = uses &- 1
            table.move(entry, toNewestOf: Self.main)
        }
    }

    @inlinable
    @inline(__always)
    package mutating func leave(_ entry: UInt32) {
        if table.notes[Int(entry)].queue == 1 { mainUsed &-= table.charge(entry) } else { leaveSmall(entry) }
    }
}
