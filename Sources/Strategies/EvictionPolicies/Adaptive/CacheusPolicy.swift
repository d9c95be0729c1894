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
struct CacheusPolicy: LearningPolicy, ~Copyable {
    /// SR: objects that were used once, or demoted from R.
    static var single: UInt32 { 0 }
    /// R: objects that were used again.
    static var reused: UInt32 { 1 }

    /// The queue of an object and what is known of its uses.
    struct Place: LearningNote {
        var queue: UInt8 = 0
        /// Whether the object came into the full cache from no history.
        var isNew = false
        /// Whether the object is in SR because R had no room for it.
        var isDemoted = false
        /// For a resident object its entry in the order of frequencies, for a ghost its number of uses.
        var other: UInt32 = 0
    }

    var table = EntryTable<Place, TraceEntry>(queueCount: 4)
    var budget: Budget
    var frequencies = LFUPolicy(capacity: .entries(.max))
    var recentGhosts: GhostQueue
    var frequentGhosts: GhostQueue
    /// The weights of R, and their limit; SR has the rest.
    var reusedUsed: UInt64 = 0
    var reusedLimit: UInt64
    /// The number of demoted objects, and of ghosts of SR-LRU that were new.
    var demotedCount = 0
    var newGhostCount = 0
    var recencyWeight = 0.5
    var learning = CacheusLearningRate()
    var random = RandomStream()

    init(capacity: PolicyCapacity, settings: PolicySettings) {
        budget = Budget(capacity)
        recentGhosts = Self.history(2, budget, settings)
        frequentGhosts = Self.history(3, budget, settings)
        let single = UInt64((Double(budget.limit) * settings[Self.singleShare]).rounded())
        reusedLimit = budget.limit - min(max(single, 1), budget.limit)
    }

    static var singleShare: PolicyParameter {
        PolicyParameter("new", .share, 0...1, standard: 0.01, "SR, the share of the capacity for new objects, at first")
    }

    mutating func use(_ entry: UInt32) {
        frequencies.use(table.notes[Int(entry)].other)
        if table.notes[Int(entry)].queue == 0 {
            if table.notes[Int(entry)].isDemoted {
                enlargeReused(table.charge(entry))
                forgetDemotion(entry)
            }
            reusedUsed &+= table.charge(entry)
            table.notes[Int(entry)].queue = 1
            table.move(entry, toNewestOf: Self.reused)
            demote()
        } else {
            table.move(entry, toNewestOf: Self.reused)
        }
        learning.hits &+= 1
        endRequest()
    }

    mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt64, _ sink: inout Sink) -> Bool {
        let old = table.entry(of: object)
        if old != 0 {
            let uses = table.notes[Int(old)].other &+ 1
            learn(from: table.notes[Int(old)], charge: table.charge(old))
            takeOut(old)
            while !budget.fits(charge) { evictNext(&sink) }
            add(object, charge: charge, uses: uses, isReused: true)
        } else if table.isEmpty(Self.single), reusedUsed &+ charge <= reusedLimit {
            add(object, charge: charge, uses: 1, isReused: true)
        } else {
            let singleUsed = budget.used &- reusedUsed
            let isFilling = budget.fits(charge) && singleUsed &+ charge <= budget.limit &- reusedLimit
            while !budget.fits(charge) { evictNext(&sink) }
            let entry = add(object, charge: charge, uses: 1, isReused: false)
            table.notes[Int(entry)].isNew = !isFilling
        }
        demote()
        endRequest()
        return true
    }

    @discardableResult
    mutating func add(_ object: ObjectID, charge: UInt64, uses: UInt32, isReused: Bool) -> UInt32 {
        let entry = table.add(object, charge: charge)
        table.notes[Int(entry)].other = frequencies.append(object, uses: uses)
        table.notes[Int(entry)].queue = isReused ? 1 : 0
        if isReused { reusedUsed &+= charge }
        budget.add(charge)
        table.link(entry, before: isReused ? Self.reused : Self.single)
        return entry
    }

    /// Moves the least recently used objects of R to SR until R has room for the others.
    mutating func demote() {
        while reusedUsed > reusedLimit {
            let entry = table.oldest(Self.reused)
            reusedUsed &-= table.charge(entry)
            table.notes[Int(entry)].queue = 0
            table.notes[Int(entry)].isDemoted = true
            demotedCount &+= 1
            table.move(entry, toNewestOf: Self.single)
        }
    }

    @inline(__always)
    mutating func forgetDemotion(_ entry: UInt32) {
        guard table.notes[Int(entry)].isDemoted else { return }
        table.notes[Int(entry)].isDemoted = false
        demotedCount &-= 1
    }

    /// Counts a request, and adapts the learning rate at the end of a period.
    @inline(__always)
    mutating func endRequest() {
        learning.requests &+= 1
        if learning.requests >= period { learning.endPeriod(period, &random) }
    }

    var period: Int { budget.countsEntries ? Int(budget.limit) : max(budget.count, 1) }

    /// A ghost of SR-LRU that was new also enlarges SR.
    mutating func learn(from ghost: Place, charge: UInt64) {
        if ghost.queue == 2, ghost.isNew {
            let step = Self.step(demotedCount, newGhostCount &- 1, charge)
            let single = min(budget.limit &- 1, budget.limit &- reusedLimit &+ step)
            reusedLimit = budget.limit &- single
        }
        if learning.rate == 0 { learning.start(period: period) }
        lowerWeight(ofExpertFor: ghost.queue, by: exp(-learning.rate))
    }

    mutating func enlargeReused(_ charge: UInt64) {
        reusedLimit = min(budget.limit &- 1, reusedLimit &+ Self.step(newGhostCount, demotedCount, charge))
    }

    /// A charge times the ratio of two counts, which is rounded and at least 1; at most the largest limit of a policy.
    static func step(_ count: Int, _ other: Int, _ charge: UInt64) -> UInt64 {
        let ratio = UInt64(max(1, Double(count) / Double(max(other, 1)) + 0.5))
        let (step, isTooLarge) = ratio.multipliedReportingOverflow(by: charge)
        return isTooLarge ? 1 << 62 : min(step, 1 << 62)
    }

    mutating func experts() -> (recent: UInt32, frequent: UInt32) {
        let recent = table.oldest(table.isEmpty(Self.single) ? Self.reused : Self.single)
        let lowest = frequencies.table.notes[0].higher
        return (recent, table.knownEntry(of: frequencies.table.object(frequencies.table.newest(lowest))))
    }

    mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
        let (entry, queue) = choose()
        if queue == 0 {
            evict(entry, &sink)
            return
        }
        let charge = table.charge(entry)
        let uses = frequencies.uses(table.notes[Int(entry)].other)
        sink.evicted(table.object(entry))
        leave(entry)
        table.notes[Int(entry)].other = uses
        if queue == 2 {
            let limit = recentGhosts.limit
            while recentGhosts.used &+ charge > limit, charge <= limit {
                // Takes the oldest ghost out here, because new ones are counted.
                let oldest = table.oldest(2)
                sink.forgotten(table.object(oldest))
                takeOut(oldest)
            }
            if table.notes[Int(entry)].isNew, charge <= limit { newGhostCount &+= 1 }
            recentGhosts.remember(entry, in: &table, &sink)
        } else {
            frequentGhosts.remember(entry, in: &table, &sink)
        }
    }

    /// Ends the residence of an object, but keeps its entry in its queue.
    mutating func leave(_ entry: UInt32) {
        frequencies.takeOut(table.notes[Int(entry)].other)
        if table.notes[Int(entry)].queue == 1 { reusedUsed &-= table.charge(entry) }
        forgetDemotion(entry)
        budget.subtract(table.charge(entry))
    }

    mutating func reweigh(_ entry: UInt32, charge: UInt64) {
        let old = table.charge(entry)
        if table.notes[Int(entry)].queue == 1 { reusedUsed = reusedUsed &- old &+ charge }
        budget.exchange(old, for: charge)
        table.setCharge(entry, charge)
        demote()
    }

    mutating func takeOut(_ entry: UInt32) {
        switch table.notes[Int(entry)].queue {
        case 2:
            if table.notes[Int(entry)].isNew { newGhostCount &-= 1 }
            recentGhosts.takeOut(entry, of: &table)
        case 3: frequentGhosts.takeOut(entry, of: &table)
        default:
            leave(entry)
            table.drop(entry)
        }
    }

    static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "cacheus", summary: "evicts by a scan-resistant LRU or a churn-resistant LFU; learns which is better",
            source: "Rodriguez et al., FAST 2021",
            agreement: """
                the authors' program (sylab/cacheus): within 0.2 pp of misses on OLTP and cloudPhysicsIO, up to 1 \
                point fewer in smaller caches and traces (1 to 6 seeds). libcachesim 0.3.5: from 0.7 pp fewer to 11 \
                points more misses, by the learning rate that it draws at first; libCacheSim divides hits as whole \
                numbers when it adapts the rate (commit aa0fc40), and SR-LRU has a history of its own there
                """,
            advice: """
                Adapts itself to scans, to churn, and between recency and frequency. It keeps ghosts of as many \
                entries as the cache, and moves an entry in two orders on each hit.
                """,
            parameters: [singleShare, ghostShare])
    }
}

/// The learning rate of ``CacheusPolicy``, which it adapts after each period of as many requests as the cache has
/// entries.
///
/// It starts at sqrt(2 ln 2 / period). Where the hit ratio and the rate last changed in the same direction, the rate is
/// raised in proportion to its change, in opposite directions lowered; where the rate did not change and the hit ratio
/// fell, it is changed at random. After 10 periods without any hits, or in which the hit ratio fell without being
/// followed by a change, it starts again. Hit ratios and rates are compared with three decimals.
struct CacheusLearningRate {
    /// The rate; 0 before it is first needed.
    var rate = 0.0
    var hits = 0
    var requests = 0
    private var first = 0.0
    private var rateBefore = 0.0
    private var ratioBefore = 0.0
    private var emptyPeriods = 0
    private var worsePeriods = 0

    /// Chooses the first rate.
    mutating func start(period: Int) {
        rate = (2 * 0.693_147_180_559_945_3 / Double(max(period, 1))).squareRoot()
        first = min(max(rate, 0.001), 1)
    }

    /// Adapts the rate to the hits of the period.
    @inline(never)
    mutating func endPeriod(_ period: Int, _ random: inout RandomStream) {
        if rate == 0 { start(period: period) }
        let ratio = Self.rounded(Double(hits) / Double(requests))
        let ratioChange = Self.rounded(ratio - ratioBefore)
        let rateChange = Self.rounded(rate) - Self.rounded(rateBefore)
        rateBefore = rate
        ratioBefore = ratio
        (hits, requests) = (0, 0)
        if rateChange != 0, ratioChange != 0 {
            let step = rate * abs(rateChange)
            rate = (rateChange > 0) == (ratioChange > 0) ? min(rate + step, 1) : max(rate - step, 0.001)
            (emptyPeriods, worsePeriods) = (0, 0)
            return
        }
        if ratioChange > 0 { return }
        if ratioChange < 0 { worsePeriods += 1 }
        if ratioChange < 0 || ratio == 0 { emptyPeriods += 1 }
        if emptyPeriods >= 10 {
            rate = first
            emptyPeriods = 0
        } else if ratioChange < 0 {
            if worsePeriods >= 10 {
                rate = first
                worsePeriods = 0
            } else {
                changeAtRandom(&random)
            }
        }
    }

    private mutating func changeAtRandom(_ random: inout RandomStream) {
        if rate >= 1 {
            rate = 0.9
        } else if rate <= 0.001 {
            rate = 0.005
        } else {
            rate = random.fraction() < 0.5 ? min(rate * 1.25, 1) : max(rate * 0.75, 0.001)
        }
    }

    private static func rounded(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }
}
