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
package struct TwoQueue<Entry: TableEntry>: OneGhostQueuePolicy, ~Copyable {
    /// A1in: objects that were requested once, in order of admission.
    @usableFromInline static var recent: UInt32 { @inlinable get { 0 } }
    /// Am: objects that were requested again, in order of use.
    @usableFromInline static var frequent: UInt32 { @inlinable get { 1 } }
    /// A1out: the ghosts.
    @usableFromInline static var ghost: UInt32 { @inlinable get { 2 } }

    @usableFromInline
    package var table = EntryTable<QueueNumber, Entry>(queueCount: 3)
    @usableFromInline
    package var budget: Budget
    @usableFromInline
    let recentLimit: UInt64
    @usableFromInline
    var recentUsed: UInt64 = 0
    @usableFromInline
    package var ghosts: GhostQueue

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
    package mutating func use(_ entry: UInt32) {
        if table.notes[Int(entry)].queue == 1 { table.move(entry, toNewestOf: Self.frequent) }
    }

    @inlinable
    @inline(__always)
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt64, _ sink: inout Sink) -> Bool {
        let isGhost = table.entry(of: object) != 0
        let entry = admitted(object, charge: charge, &sink)
        if isGhost {
            table.notes[Int(entry)].queue = 1
            table.link(entry, before: Self.frequent)
        } else {
            recentUsed &+= charge
            table.link(entry, before: Self.recent)
        }
        return true
    }

    @inlinable
    package mutating func reweigh(_ entry: UInt32, charge: UInt64) {
        let old = table.charge(entry)
        if table.notes[Int(entry)].queue == 0 { recentUsed = recentUsed &- old &+ charge }
        budget.exchange(old, for: charge)
        table.setCharge(entry, charge)
    }

    @inlinable
    @inline(__always)
    package mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
        if evictsRecent { retire(table.oldest(Self.recent), &sink) } else { evict(table.oldest(Self.frequent), &sink) }
    }

    @inlinable
    @inline(__always)
    var evictsRecent: Bool { recentUsed > recentLimit || table.isEmpty(Self.frequent) }

    @inlinable
    package mutating func upcomingVictim() -> ObjectID? {
        budget.count == 0 ? nil : table.object(table.oldest(evictsRecent ? Self.recent : Self.frequent))
    }

    @inlinable
    @inline(__always)
    package mutating func leave(_ entry: UInt32) {
        if table.notes[Int(entry)].queue == 0 { recentUsed &-= table.charge(entry) }
    }

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

/// 2Q for replays.
package typealias TwoQueuePolicy = TwoQueue<TraceEntry>
