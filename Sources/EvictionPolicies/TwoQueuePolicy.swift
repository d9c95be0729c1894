/// 2Q: new objects pass through a FIFO queue; those that are requested again after it go to an LRU list.
///
/// T. Johnson, D. Shasha: 2Q: A Low Overhead High Performance Buffer Management Replacement Algorithm, VLDB 1994. The
/// full version with the paper's shares: A1in 25 % of the capacity, the ghosts A1out 50 %, Am what A1in leaves.
///
/// Departure from the paper: A1in also evicts when Am is empty. Other shares change the misses by up to 3 points. On
/// OLTP with 1,000 entries 59.47 % miss, as many as in libCacheSim, and 59.50 % in Caffeine's simulator (LRU 67.17
/// %).
///
/// Weights: shares and queues are in units of weight. A1in evicts if it exceeds its share, otherwise Am, until the
/// new object fits.
@usableFromInline
package struct TwoQueue<Entry: TableEntry>: TablePolicy, ~Copyable {
    /// A1in: objects that were requested once, in order of admission.
    @usableFromInline static var recent: UInt32 { @inlinable get { 0 } }
    /// A1out: the ghosts.
    @usableFromInline static var ghost: UInt32 { @inlinable get { 1 } }
    /// Am: objects that were requested again, in order of use.
    @usableFromInline static var frequent: UInt32 { @inlinable get { 2 } }

    @usableFromInline
    package var table = EntryTable<QueueNumber, Entry>(queueCount: 3)
    @usableFromInline
    package var budget: Budget
    @usableFromInline
    let recentLimit: UInt64
    @usableFromInline
    var recentUsed: UInt64 = 0
    @usableFromInline
    var ghosts: GhostQueue

    @inlinable
    package init(capacity: PolicyCapacity) { self.init(capacity: capacity, settings: PolicySettings()) }

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) {
        budget = Budget(capacity)
        recentLimit = budget.share(settings[Self.recentShare])
        ghosts = GhostQueue(queue: Self.ghost, limit: budget.share(settings[Self.ghostShare]))
    }

    @usableFromInline static var recentShare: PolicyParameter {
        PolicyParameter("new", .share, 0...1, standard: 0.25, "A1in, the share of the capacity for new objects")
    }

    @usableFromInline static var ghostShare: PolicyParameter {
        PolicyParameter("ghosts", .share, 0...3, standard: 0.5, "A1out, ghosts as a share of the capacity")
    }

    @inlinable
    @inline(__always)
    package func residentEntry(of object: ObjectID) -> UInt32 {
        let entry = table.entry(of: object)
        // Entry 0 belongs to queue 0, whose note is 0.
        return table.notes[Int(entry)].queue == 1 ? 0 : entry
    }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) {
        if table.notes[Int(entry)].queue == 2 { table.move(entry, toNewestOf: Self.frequent) }
    }

    @inlinable
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt32, _ sink: inout Sink) -> Bool {
        let old = table.entry(of: object)
        if old != 0 { ghosts.takeOut(old, of: &table) }
        while !budget.fits(charge) { evictNext(&sink) }
        budget.add(charge)
        let entry = table.add(object, charge: charge)
        if old != 0 {
            table.notes[Int(entry)].queue = 2
            table.link(entry, before: Self.frequent)
        } else {
            recentUsed &+= UInt64(charge)
            table.link(entry, before: Self.recent)
        }
        return true
    }

    @inlinable
    package mutating func reweigh(_ entry: UInt32, charge: UInt32) {
        let old = table.charge(entry)
        if table.notes[Int(entry)].queue == 0 { recentUsed = recentUsed &- UInt64(old) &+ UInt64(charge) }
        budget.exchange(old, for: charge)
        table.setCharge(entry, charge)
    }

    @inlinable
    package mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
        guard recentUsed > recentLimit || table.isEmpty(Self.frequent) else {
            evict(table.oldest(Self.frequent), &sink)
            return
        }
        let entry = table.oldest(Self.recent)
        let charge = table.charge(entry)
        budget.subtract(charge)
        recentUsed &-= UInt64(charge)
        sink.evicted(table.object(entry))
        ghosts.remember(entry, in: &table, &sink)
    }

    @inlinable
    package mutating func upcomingVictim() -> ObjectID? {
        guard budget.count > 0 else { return nil }
        let isRecent = recentUsed > recentLimit || table.isEmpty(Self.frequent)
        return table.object(table.oldest(isRecent ? Self.recent : Self.frequent))
    }

    @inlinable
    package mutating func takeOut(_ entry: UInt32) {
        let queue = table.notes[Int(entry)].queue
        guard queue != 1 else {
            ghosts.takeOut(entry, of: &table)
            return
        }
        let charge = table.charge(entry)
        if queue == 0 { recentUsed &-= UInt64(charge) }
        budget.subtract(charge)
        table.drop(entry)
    }

    @inlinable
    package mutating func removeAll() {
        table.removeAll()
        budget.reset()
        recentUsed = 0
        ghosts.used = 0
    }
}

/// 2Q for replays.
package typealias TwoQueuePolicy = TwoQueue<TraceEntry>

extension TwoQueue {
    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "two-queue", summary: "new objects wait in a FIFO; those requested again after it go to an LRU",
            source: "Johnson and Shasha, VLDB 1994",
            agreement: "libcachesim 0.3.5, to the last miss",
            advice: """
                Scans do it less harm than LRU. The share of new objects is fixed, so traffic that changes needs another share.
                """,
            parameters: [recentShare, ghostShare])
    }
}
