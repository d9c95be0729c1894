/// MQ, Multi-Queue: LRU queues for frequencies of 1, 2 to 3, 4 to 7 and so on; an object that is not used for a
/// lifetime goes one queue down. The ghosts of evicted objects keep their frequencies.
///
/// Y. Zhou, J. F. Philbin, K. Li: The Multi-Queue Replacement Algorithm for Second Level Buffer Caches, USENIX Annual
/// Technical Conference 2001. Eight queues, and ghosts of four times the capacity (Qout). At each request, the oldest
/// object of each queue is examined; time is counted in requests.
///
/// Departure from the paper: the lifetime is fixed, 10,000 requests as in libCacheSim, where the paper takes the most
/// frequent distance between two uses from earlier traffic. On OLTP with 1,000 entries 63.18 % miss, with a lifetime of
/// 1,000 requests 59.35 %, as many as in libCacheSim (LRU 67.17 %).
///
/// Weights: the ghosts are in units of weight. The oldest objects of the lowest queue are evicted until the new one
/// fits.
@usableFromInline
package struct MQPolicy: TablePolicy, ~Copyable {
    /// The queue of an object and what is known of its uses.
    @usableFromInline
    package struct Place: QueueNote {
        @usableFromInline
        package var queue: UInt8 = 0
        /// At most 2^32 - 1.
        @usableFromInline
        var uses: UInt32 = 0
        /// The time after which the object goes one queue down.
        @usableFromInline
        var expiry: UInt64 = 0

        @inlinable
        package init() {}
    }

    /// The queues upwards, each in order of use; then the ghosts.
    @usableFromInline
    package var table: EntryTable<Place, TraceEntry>
    @usableFromInline
    package var budget: Budget
    @usableFromInline
    let top: UInt32
    @usableFromInline
    let lifetime: UInt64
    @usableFromInline
    var ghosts: GhostQueue
    /// The number of requests so far.
    @usableFromInline
    var time: UInt64 = 0
    /// No object of the upper queues expires before this time. Within a queue, objects expire from the oldest on.
    @usableFromInline
    var nextExpiry: UInt64 = 0

    @inlinable
    package init(capacity: PolicyCapacity) { self.init(capacity: capacity, settings: PolicySettings()) }

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) {
        budget = Budget(capacity)
        let count = settings.count(Self.queueCount)
        table = EntryTable(queueCount: count + 1)
        top = UInt32(count - 1)
        lifetime = UInt64(settings.count(Self.lifetimeLength))
        ghosts = GhostQueue(queue: UInt32(count), limit: budget.share(settings[Self.ghostShare]))
    }

    @usableFromInline static var queueCount: PolicyParameter {
        PolicyParameter("queues", .count, 2...16, standard: 8, "the number of queues")
    }

    @usableFromInline static var lifetimeLength: PolicyParameter {
        PolicyParameter("lifetime", .count, 1...1e9, standard: 10_000, "requests after which an unused object sinks")
    }

    @usableFromInline static var ghostShare: PolicyParameter {
        PolicyParameter("ghosts", .share, 0...8, standard: 4, "ghosts as a share of the capacity")
    }

    @inlinable
    @inline(__always)
    package func residentEntry(of object: ObjectID) -> UInt32 {
        let entry = table.entry(of: object)
        // Entry 0 belongs to queue 0, whose note is 0.
        return UInt32(table.notes[Int(entry)].queue) == ghosts.queue ? 0 : entry
    }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) {
        table.unlink(entry)
        link(entry)
        tick()
    }

    /// Counts a use of an entry that is in no queue, and makes it the newest where it belongs.
    @inlinable
    @inline(__always)
    mutating func link(_ entry: UInt32) {
        let old = table.notes[Int(entry)].uses
        let uses = old == .max ? old : old &+ 1
        table.notes[Int(entry)].uses = uses
        put(entry, min(31 &- UInt32(truncatingIfNeeded: uses.leadingZeroBitCount), top))
    }

    @inlinable
    @inline(__always)
    mutating func put(_ entry: UInt32, _ queue: UInt32) {
        table.notes[Int(entry)].queue = UInt8(truncatingIfNeeded: queue)
        table.notes[Int(entry)].expiry = time &+ lifetime
        table.link(entry, before: queue)
    }

    /// The end of a request.
    @inlinable
    @inline(__always)
    mutating func tick() {
        time &+= 1
        if nextExpiry < time { lowerExpired() }
    }

    /// Moves each upper queue's oldest object one queue down, if it expired.
    @inlinable
    mutating func lowerExpired() {
        nextExpiry = time &+ lifetime
        for queue in 1...top {
            let entry = table.oldest(queue)
            if entry != queue, table.notes[Int(entry)].expiry < time {
                table.unlink(entry)
                put(entry, queue &- 1)
            }
            let next = table.oldest(queue)
            if next != queue { nextExpiry = min(nextExpiry, table.notes[Int(next)].expiry) }
        }
    }

    @inlinable
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt32, _ sink: inout Sink) -> Bool {
        var entry = table.entry(of: object)
        if entry != 0 {
            // Unlinked at once, so that forgetting ghosts can't reach it.
            ghosts.used &-= UInt64(table.charge(entry))
            table.unlink(entry)
        }
        while !budget.fits(charge) { evictNext(&sink) }
        if entry == 0 {
            entry = table.add(object, charge: charge)
        } else {
            table.setCharge(entry, charge)
        }
        budget.add(charge)
        link(entry)
        tick()
        return true
    }

    /// The oldest object of the lowest queue that has one.
    @inlinable
    @inline(__always)
    func nextVictim() -> UInt32 {
        var queue: UInt32 = 0
        while table.isEmpty(queue) { queue &+= 1 }
        return table.oldest(queue)
    }

    @inlinable
    package mutating func upcomingVictim() -> ObjectID? { budget.count == 0 ? nil : table.object(nextVictim()) }

    @inlinable
    package mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
        let entry = nextVictim()
        budget.subtract(table.charge(entry))
        sink.evicted(table.object(entry))
        ghosts.remember(entry, in: &table, &sink)
    }

    @inlinable
    package mutating func takeOut(_ entry: UInt32) {
        guard UInt32(table.notes[Int(entry)].queue) != ghosts.queue else {
            ghosts.takeOut(entry, of: &table)
            return
        }
        budget.subtract(table.charge(entry))
        table.drop(entry)
    }

    @inlinable
    package mutating func removeAll() {
        table.removeAll()
        budget.reset()
        ghosts.used = 0
        (time, nextExpiry) = (0, 0)
    }
}
