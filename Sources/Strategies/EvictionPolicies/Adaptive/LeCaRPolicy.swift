import Foundation

/// LeCaR: evicts by LRU or by LFU at random, with weights that it learns from requests for what either evicted.
///
/// G. Vietri, L. V. Rodriguez, W. A. Martinez, S. Lyons, J. Liu, R. Rangaswami, M. Zhao, G. Narasimhan: Driving Cache
/// Replacement with ML-based LeCaR, HotStorage 2018. Each expert has a history of half as many entries as the cache; a
/// miss on an object in one of them lowers the weight of that expert by the factor e^(-0.45 r). With the age of the
/// eviction r falls from 1 to 0.005, which it reaches after as many requests as the cache has entries. Where both
/// experts name the same object, no history keeps it. Weights stay between 1 and 99 %.
///
/// The frequency of an object is counted while it is resident, and ties are broken by recency, as in libcachesim. With
/// `kept-uses` 1 an object goes on counting when it returns from a history, as in the authors' program (which breaks
/// ties by block number); it costs O(different frequencies below its own). Time counts hits and admissions. The random
/// numbers come from a fixed seed. On OLTP with 1,000 entries 65.70 % miss, in libcachesim 65.69 % (LRU 67.17 %), in
/// the authors' program 65.46 %; with kept uses and ties by recency 60.92 %.
///
/// Weights: the histories are in units of weight. Where bytes are limited, so many requests take the place of as many
/// entries in r, as in libcachesim: the age of an eviction hardly matters.
struct LeCaRPolicy: LearningPolicy, ~Copyable {
    /// The queue of an object and what is known of its uses.
    struct Place: LearningNote {
        var queue: UInt8 = 0
        /// For a resident object its entry in the order of frequencies, for a ghost the time of its eviction.
        var other: UInt32 = 0
        /// The number of uses of a ghost.
        var uses: UInt32 = 0
    }

    /// Queue 0 holds the resident objects in order of use; queue 1 is never used.
    var table = EntryTable<Place, TraceEntry>(queueCount: 4)
    var budget: Budget
    var frequencies = LFUPolicy(capacity: .entries(.max))
    var recentGhosts: GhostQueue
    var frequentGhosts: GhostQueue
    var recencyWeight = 0.5
    let learningRate: Double
    let discount: Double
    let keepsUses: Bool
    /// The number of the present request.
    var time: UInt32 = 0
    var random = RandomStream()

    init(capacity: PolicyCapacity, settings: PolicySettings) {
        budget = Budget(capacity)
        recentGhosts = Self.history(2, budget, settings)
        frequentGhosts = Self.history(3, budget, settings)
        learningRate = settings[Self.learningRateParameter]
        discount = settings[Self.discountParameter]
        keepsUses = settings.count(Self.keptUsesParameter) == 1
    }

    static var learningRateParameter: PolicyParameter {
        PolicyParameter("rate", .number, 0...10, standard: 0.45, "how fast the weights are learned")
    }

    static var discountParameter: PolicyParameter {
        PolicyParameter(
            "discount", .number, 1e-9...1, standard: 0.005, "what an eviction as old as the capacity counts")
    }

    static var keptUsesParameter: PolicyParameter {
        PolicyParameter("kept-uses", .count, 0...1, standard: 0, "1: returning objects keep their number of uses")
    }

    @inline(__always)
    mutating func use(_ entry: UInt32) {
        table.move(entry, toNewestOf: 0)
        frequencies.use(table.notes[Int(entry)].other)
        time &+= 1
    }

    mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt64, _ sink: inout Sink) -> Bool {
        let old = table.entry(of: object)
        var uses: UInt32 = 1
        if old != 0 {
            if keepsUses { uses = table.notes[Int(old)].uses &+ 1 }
            learn(from: table.notes[Int(old)])
            takeOut(old)
        }
        while !budget.fits(charge) { evictNext(&sink) }
        let entry = table.add(object, charge: charge)
        table.notes[Int(entry)].other = frequencies.append(object, uses: uses)
        table.link(entry, before: 0)
        budget.add(charge)
        time &+= 1
        return true
    }

    mutating func learn(from ghost: Place) {
        let age = Double(time &- ghost.other)
        let factor = exp(-learningRate * pow(discount, age / Double(budget.limit)))
        lowerWeight(ofExpertFor: ghost.queue, by: factor)
    }

    mutating func experts() -> (recent: UInt32, frequent: UInt32) {
        (table.oldest(0), table.knownEntry(of: frequencies.table.object(frequencies.nextVictim())))
    }

    mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
        let (entry, queue) = choose()
        if queue == 0 {
            evict(entry, &sink)
            return
        }
        sink.evicted(table.object(entry))
        budget.subtract(table.charge(entry))
        let place = table.notes[Int(entry)].other
        table.notes[Int(entry)].uses = frequencies.uses(place)
        frequencies.takeOut(place)
        table.notes[Int(entry)].other = time
        if queue == 2 {
            recentGhosts.remember(entry, in: &table, &sink)
        } else {
            frequentGhosts.remember(entry, in: &table, &sink)
        }
    }

    mutating func takeOut(_ entry: UInt32) {
        switch table.notes[Int(entry)].queue {
        case 2: recentGhosts.takeOut(entry, of: &table)
        case 3: frequentGhosts.takeOut(entry, of: &table)
        default:
            frequencies.takeOut(table.notes[Int(entry)].other)
            budget.subtract(table.charge(entry))
            table.drop(entry)
        }
    }

    static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "lecar", summary: "evicts by LRU or LFU at random, and learns which of the two is better",
            source: "Vietri et al., HotStorage 2018",
            agreement: """
                libcachesim 0.3.5: its misses are within 0.15 pp on OLTP, P3 and cloudPhysicsIO, 0.2 on 4 other \
                traces, whose seeds are up to 1.2 apart (2 or 3 seeds); with kept-uses=1 the authors' program within 0.1 \
                points on 100,000 requests of OLTP, once its ties are broken by recency
                """,
            advice: """
                Adapts itself between LRU and LFU with two weights; best where one of them is good at a time. With \
                kept-uses=1 it often misses several points less. It keeps ghosts of as many entries as the cache, and \
                moves an entry in two orders on each hit.
                """,
            parameters: [ghostShare, learningRateParameter, discountParameter, keptUsesParameter])
    }
}
