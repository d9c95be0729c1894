/// S3-FIFO: a small queue filters out objects that are used once, a main queue keeps the others, and a ghost queue
/// remembers what the small queue evicted.
///
/// J. Yang, Y. Zhang, Z. Qiu, Y. Yue, K. V. Rashmi: FIFO Queues are All You Need for Cache Eviction, SOSP 2023. The
/// variant of the authors' simulator: the small queue has 10 % of the capacity, the main queue the rest, and the
/// ghost queue as much as the main queue (90 %). An object moves from the small queue to the main queue after 2 uses,
/// and the main queue is a CLOCK that counts up to 3.
///
/// Departures from the paper: an object that moves to the main queue evicts nothing there, so that the main queue may
/// exceed its share until the next eviction; and the small queue has at least 1 entry, so that small caches work (in
/// the simulator they hold nothing below 20 entries). The order of eviction and insertion makes a difference of at
/// most 0.1 points from 500 entries on; here eviction comes first. While the cache fills, new objects enter the small
/// queue, as in the simulator until October 2024; later they enter the main queue when the small one is full, which
/// `fill-main` does too. On OLTP with 1,000 entries 59.16 % miss, as many as in the authors' simulator (LRU 67.17 %,
/// the optimum 46.39 %).
///
/// Weights: shares and queues are in units of weight. The small queue evicts until the new object fits, unless the
/// main queue exceeds its share; then the main queue evicts. Objects heavier than the small queue are admitted
/// nevertheless.
@usableFromInline
package struct S3FIFO<Entry: TableEntry>: SmallQueuePolicy, ~Copyable {
    /// The queue of an object, and its number of uses.
    @usableFromInline
    package struct Place: UsesNote {
        @usableFromInline
        package var queue: UInt8 = 0
        /// The number of uses, at most 3.
        @usableFromInline
        package var uses: UInt8 = 0

        @inlinable
        package init() {}
    }

    @usableFromInline
    package var table = EntryTable<Place, Entry>(queueCount: 3)
    @usableFromInline
    package var budget: Budget
    @usableFromInline
    package let mainLimit: UInt64
    @usableFromInline
    package var mainUsed: UInt64 = 0
    @usableFromInline
    package var ghosts: GhostQueue
    @usableFromInline
    package var hasEvicted = false
    @usableFromInline
    package let fillsMain: Bool

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) {
        budget = Budget(capacity)
        mainLimit = Self.mainLimit(of: budget, small: settings[Self.smallShare])
        ghosts = GhostQueue(queue: Self.ghost, limit: budget.share(settings[Self.ghostShare]))
        fillsMain = settings.count(Self.filling) == 1
    }

    @usableFromInline static var smallShare: PolicyParameter {
        PolicyParameter("small", .share, 0.001...0.9, standard: 0.1, "the small queue's share of the capacity")
    }

    @usableFromInline static var ghostShare: PolicyParameter {
        PolicyParameter("ghosts", .share, 0...3, standard: 0.9, "ghosts as a share of the capacity")
    }

    @usableFromInline static var filling: PolicyParameter {
        PolicyParameter(
            "fill-main", .count, 0...1, standard: 0, "1: until the first eviction, the main queue is filled too")
    }

    @inlinable
    package var usesToMove: UInt8 { @inline(__always) get { 2 } }

    @inlinable
    package var roundsMax: UInt8 { @inline(__always) get { 3 } }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) {
        let uses = table.notes[Int(entry)].uses
        table.notes[Int(entry)].uses = uses < 3 ? uses &+ 1 : 3
    }

    @inlinable
    @inline(__always)
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt64, _ sink: inout Sink) -> Bool {
        let old = table.entry(of: object)
        // The ghost is removed first, which makes room for the ghost of the object that is evicted now.
        if old != 0 { ghosts.takeOut(old, of: &table) }
        while !budget.fits(charge) { evictNext(&sink) }
        enter(table.add(object, charge: charge), charge: charge, main: old != 0 || isFillingMain)
        return true
    }

    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "s3-fifo",
            summary: "a small queue keeps one-hit wonders out of the main queue; a ghost queue readmits objects",
            source: "Yang et al., SOSP 2023",
            agreement: """
                the S3FIFOv0 of libcachesim 0.3.5, to the last miss from 20 entries on; with fill-main, its S3FIFO
                """,
            advice: """
                Take it where many objects are requested once: CDN and web traffic. It keeps ghosts of 90 % of its entries. Where most objects are requested twice in a short time, the small queue is too small for them.
                """,
            parameters: [smallShare, ghostShare, filling])
    }
}

/// S3-FIFO for replays.
package typealias S3FIFOPolicy = S3FIFO<TraceEntry>
