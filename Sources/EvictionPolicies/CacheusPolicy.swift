import Foundation

/// CACHEUS: evicts by a scan-resistant LRU or by a churn-resistant LFU at random, and adapts their weights and the rate
/// at which it does.
///
/// L. V. Rodriguez, F. Yusuf, S. Lyons, E. Paz, R. Rangaswami, J. Liu, M. Zhao, G. Narasimhan: Learning Cache
/// Replacement with CACHEUS, FAST 2021, with SR-LRU and CR-LFU as experts. SR-LRU keeps objects that were used once and
/// demoted ones in SR, the others in R, and evicts from SR. A hit on a demoted object enlarges R; a miss on an object
/// that SR-LRU evicted while it was new enlarges SR. CR-LFU evicts the most recent of the least frequently used
/// objects. Each expert has a history of half as many entries as the cache, with the objects' frequencies; a miss on an
/// object in it lowers the weight of the expert by the factor e^-rate; see ``CacheusLearningRate``.
///
/// As in the authors' program, SR has 1 % of the capacity at first, objects enter R until it is full, and weights stay
/// between 1 and 99 %. Departures from it: R fills its share, where the program leaves one place, and a returning
/// object counts one use more (the program computes that, but drops it). Periods count hits and admissions. The random
/// numbers come from a fixed seed. On OLTP with 1,000 entries 61.91 % miss, in the authors' program 61.70 %, in
/// libcachesim 66.2 to 67.0 % (LRU 67.17 %).
///
/// Weights: all parts are in units of weight, and a change of a share is multiplied by the object's weight. Where bytes
/// are limited, a period has as many requests as there are resident objects. The return of an object with f uses from
/// a history costs O(different frequencies below f).
@usableFromInline
package struct CacheusPolicy: TablePolicy, ~Copyable {
    /// SR: objects that were used once, or demoted from R.
    @usableFromInline static var single: UInt32 { @inlinable get { 0 } }
    /// R: objects that were used again.
    @usableFromInline static var reused: UInt32 { @inlinable get { 1 } }
    /// What SR-LRU evicted.
    @usableFromInline static var recentGhost: UInt32 { @inlinable get { 2 } }
    /// What CR-LFU evicted.
    @usableFromInline static var frequentGhost: UInt32 { @inlinable get { 3 } }

    /// The queue of an object and what is known of its uses.
    @usableFromInline
    package struct Place: QueueNote {
        @usableFromInline
        package var queue: UInt8 = 0
        /// Whether the object came into the full cache from no history.
        @usableFromInline
        var isNew = false
        /// Whether the object is in SR because R had no room for it.
        @usableFromInline
        var isDemoted = false
        /// For a resident object its entry in the order of frequencies, for a ghost its number of uses.
        @usableFromInline
        var other: UInt32 = 0

        @inlinable
        package init() {}
    }

    @usableFromInline
    package var table = EntryTable<Place, TraceEntry>(queueCount: 4)
    @usableFromInline
    package var budget: Budget
    /// The resident objects in order of frequency.
    @usableFromInline
    var frequencies = LFUPolicy(capacity: .entries(.max))
    @usableFromInline
    var recentGhosts: GhostQueue
    @usableFromInline
    var frequentGhosts: GhostQueue
    /// The weights of R, and their limit; SR has the rest.
    @usableFromInline
    var reusedUsed: UInt64 = 0
    @usableFromInline
    var reusedLimit: UInt64
    @usableFromInline
    let firstReusedLimit: UInt64
    /// The number of demoted objects, and of ghosts of SR-LRU that were new.
    @usableFromInline
    var demotedCount = 0
    @usableFromInline
    var newGhostCount = 0
    /// The probability with which SR-LRU decides.
    @usableFromInline
    var recencyWeight = 0.5
    @usableFromInline
    var learning = CacheusLearningRate()
    @usableFromInline
    var random: RandomStream

    @inlinable
    package init(capacity: PolicyCapacity) { self.init(capacity: capacity, settings: PolicySettings()) }

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) {
        self.init(capacity: capacity, settings: settings, seed: 0)
    }

    /// A policy that evicts the same objects whenever it has the same seed.
    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings, seed: UInt64) {
        budget = Budget(capacity)
        recentGhosts = GhostQueue(queue: Self.recentGhost, limit: budget.share(settings[Self.ghostShare]))
        frequentGhosts = GhostQueue(queue: Self.frequentGhost, limit: budget.share(settings[Self.ghostShare]))
        let single = UInt64((Double(budget.limit) * settings[Self.singleShare]).rounded())
        firstReusedLimit = budget.limit - min(max(single, 1), budget.limit)
        reusedLimit = firstReusedLimit
        random = RandomStream(seed: seed)
    }

    @inlinable
    @inline(__always)
    package func residentEntry(of object: ObjectID) -> UInt32 {
        let entry = table.entry(of: object)
        // Entry 0 belongs to queue 0, whose note is 0.
        return table.notes[Int(entry)].queue >= 2 ? 0 : entry
    }

    @inlinable
    package mutating func use(_ entry: UInt32) {
        frequencies.use(table.notes[Int(entry)].other)
        if table.notes[Int(entry)].queue == 0 {
            if table.notes[Int(entry)].isDemoted {
                enlargeReused(UInt64(table.charge(entry)))
                forgetDemotion(entry)
            }
            reusedUsed &+= UInt64(table.charge(entry))
            table.notes[Int(entry)].queue = 1
            table.move(entry, toNewestOf: Self.reused)
            demote()
        } else {
            table.move(entry, toNewestOf: Self.reused)
        }
        learning.hits &+= 1
        endRequest()
    }

    @inlinable
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt32, _ sink: inout Sink) -> Bool {
        let old = table.entry(of: object)
        if old != 0 {
            let uses = table.notes[Int(old)].other &+ 1
            learn(from: old)
            takeOut(old)
            while !budget.fits(charge) { evictNext(&sink) }
            add(object, charge: charge, uses: uses, isReused: true)
        } else if table.isEmpty(Self.single), reusedUsed &+ UInt64(charge) <= reusedLimit {
            add(object, charge: charge, uses: 1, isReused: true)
        } else {
            let singleUsed = budget.used &- reusedUsed
            let isFilling = budget.fits(charge) && singleUsed &+ UInt64(charge) <= budget.limit &- reusedLimit
            while !budget.fits(charge) { evictNext(&sink) }
            let entry = add(object, charge: charge, uses: 1, isReused: false)
            table.notes[Int(entry)].isNew = !isFilling
        }
        demote()
        endRequest()
        return true
    }

    @inlinable
    @discardableResult
    mutating func add(_ object: ObjectID, charge: UInt32, uses: UInt32, isReused: Bool) -> UInt32 {
        let entry = table.add(object, charge: charge)
        table.notes[Int(entry)].other = frequencies.append(object, uses: uses)
        table.notes[Int(entry)].queue = isReused ? 1 : 0
        if isReused { reusedUsed &+= UInt64(charge) }
        budget.add(charge)
        table.link(entry, before: isReused ? Self.reused : Self.single)
        return entry
    }

    /// Moves the least recently used objects of R to SR until R has room for the others.
    @inlinable
    mutating func demote() {
        while reusedUsed > reusedLimit {
            let entry = table.oldest(Self.reused)
            reusedUsed &-= UInt64(table.charge(entry))
            table.notes[Int(entry)].queue = 0
            table.notes[Int(entry)].isDemoted = true
            demotedCount &+= 1
            table.move(entry, toNewestOf: Self.single)
        }
    }

    @inlinable
    @inline(__always)
    mutating func forgetDemotion(_ entry: UInt32) {
        guard table.notes[Int(entry)].isDemoted else { return }
        table.notes[Int(entry)].isDemoted = false
        demotedCount &-= 1
    }

    /// Counts a request, and adapts the learning rate at the end of a period.
    @inlinable
    @inline(__always)
    mutating func endRequest() {
        learning.requests &+= 1
        if learning.requests >= period { learning.endPeriod(period, &random) }
    }

    @inlinable
    var period: Int { budget.countsEntries ? Int(budget.limit) : max(budget.count, 1) }
}
