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
struct MQPolicy: OneGhostQueuePolicy, ~Copyable {
    /// The queue of an object and what is known of its uses.
    struct Place: QueueNote {
        var queue: UInt8 = 0
        /// At most 2^32 - 1.
        var uses: UInt32 = 0
        /// The time after which the object goes one queue down.
        var expiry: UInt64 = 0
    }

    /// The queues upwards, each in order of use; then the ghosts.
    var table: EntryTable<Place, TraceEntry>
    var budget: Budget
    let top: UInt32
    let lifetime: UInt64
    var ghosts: GhostQueue
    /// The number of requests so far.
    var time: UInt64 = 0
    /// No object of the upper queues expires before this time. Within a queue, objects expire from the oldest on.
    var nextExpiry: UInt64 = 0

    init(capacity: PolicyCapacity, settings: PolicySettings) {
        budget = Budget(capacity)
        let count = settings.count(Self.queueCount)
        table = EntryTable(queueCount: count + 1)
        top = UInt32(count - 1)
        lifetime = UInt64(settings.count(Self.lifetimeLength))
        ghosts = GhostQueue(queue: UInt32(count), limit: budget.share(settings[Self.ghostShare]))
    }

    static var queueCount: PolicyParameter {
        PolicyParameter("queues", .count, 2...16, standard: 8, "the number of queues")
    }

    static var lifetimeLength: PolicyParameter {
        PolicyParameter("lifetime", .count, 1...1e9, standard: 10_000, "requests after which an unused object sinks")
    }

    static var ghostShare: PolicyParameter {
        PolicyParameter("ghosts", .share, 0...8, standard: 4, "ghosts as a share of the capacity")
    }

    @inline(__always)
    func residentEntry(of object: ObjectID) -> UInt32 {
        let entry = table.entry(of: object)
        // Entry 0 belongs to queue 0, whose note is 0.
        return UInt32(table.notes[Int(entry)].queue) == ghosts.queue ? 0 : entry
    }

    @inline(__always)
    mutating func use(_ entry: UInt32) {
        table.unlink(entry)
        link(entry)
        tick()
    }

    /// Counts a use of an entry that is in no queue, and makes it the newest where it belongs.
    @inline(__always)
    mutating func link(_ entry: UInt32) {
        let old = table.notes[Int(entry)].uses
        let uses = old == .max ? old : old &+ 1
        table.notes[Int(entry)].uses = uses
        put(entry, min(31 &- UInt32(truncatingIfNeeded: uses.leadingZeroBitCount), top))
    }

    @inline(__always)
    mutating func put(_ entry: UInt32, _ queue: UInt32) {
        table.notes[Int(entry)].queue = UInt8(truncatingIfNeeded: queue)
        table.notes[Int(entry)].expiry = time &+ lifetime
        table.link(entry, before: queue)
    }

    /// The end of a request.
    @inline(__always)
    mutating func tick() {
        time &+= 1
        if nextExpiry < time { lowerExpired() }
    }

    /// Moves each upper queue's oldest object one queue down, if it expired.
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

    mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt64, _ sink: inout Sink) -> Bool {
        link(admitted(object, charge: charge, &sink))
        tick()
        return true
    }

    /// The oldest object of the lowest queue that has one.
    @inline(__always)
    func nextVictim() -> UInt32 {
        var queue: UInt32 = 0
        while table.isEmpty(queue) { queue &+= 1 }
        return table.oldest(queue)
    }

    mutating func upcomingVictim() -> ObjectID? { budget.count == 0 ? nil : table.object(nextVictim()) }

    mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
        retire(nextVictim(), &sink)
    }

    @inline(__always)
    mutating func leave(_ entry: UInt32) {}

    static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "mq", summary: "LRU queues by frequency; unused objects sink; ghosts keep their frequency",
            source: "Zhou, Philbin and Li, USENIX Annual Technical Conference 2001",
            agreement: "libcachesim 0.3.5, to the last miss, with entries and with bytes",
            advice: """
                Take it behind another cache, which takes the quick repetitions away so that frequency matters. The lifetime has to fit the traffic: with a short one it is close to LRU, with a long one to LFU. It keeps four ghosts for each entry.
                """,
            parameters: [queueCount, lifetimeLength, ghostShare])
    }
}
