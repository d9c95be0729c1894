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
@usableFromInline
package struct LeCaRPolicy: TablePolicy, ~Copyable {
    /// Resident objects, in order of use.
    @usableFromInline static var resident: UInt32 { @inlinable get { 0 } }
    /// What LRU evicted.
    @usableFromInline static var recentGhost: UInt32 { @inlinable get { 1 } }
    /// What LFU evicted.
    @usableFromInline static var frequentGhost: UInt32 { @inlinable get { 2 } }

    /// The queue of an object and what is known of its uses.
    @usableFromInline
    package struct Place: QueueNote {
        @usableFromInline
        package var queue: UInt8 = 0
        /// For a resident object its entry in the order of frequencies, for a ghost the time of its eviction.
        @usableFromInline
        var other: UInt32 = 0
        /// The number of uses of a ghost.
        @usableFromInline
        var uses: UInt32 = 0

        @inlinable
        package init() {}
    }

    @usableFromInline
    package var table = EntryTable<Place, TraceEntry>(queueCount: 3)
    @usableFromInline
    package var budget: Budget
    /// The resident objects in order of frequency.
    @usableFromInline
    var frequencies = LFUPolicy(capacity: .entries(.max))
    @usableFromInline
    var recentGhosts: GhostQueue
    @usableFromInline
    var frequentGhosts: GhostQueue
    /// The probability with which LRU decides.
    @usableFromInline
    var recencyWeight = 0.5
    @usableFromInline
    let learningRate: Double
    @usableFromInline
    let discount: Double
    @usableFromInline
    let keepsUses: Bool
    /// The number of the present request.
    @usableFromInline
    var time: UInt32 = 0
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
        learningRate = settings[Self.learningRateParameter]
        discount = settings[Self.discountParameter]
        keepsUses = settings.count(Self.keptUsesParameter) == 1
        random = RandomStream(seed: seed)
    }

    @inlinable
    @inline(__always)
    package func residentEntry(of object: ObjectID) -> UInt32 {
        let entry = table.entry(of: object)
        // Entry 0 belongs to queue 0, whose note is 0.
        return table.notes[Int(entry)].queue != 0 ? 0 : entry
    }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) {
        table.move(entry, toNewestOf: Self.resident)
        frequencies.use(table.notes[Int(entry)].other)
        time &+= 1
    }

    @inlinable
    package mutating func admit<Sink: EvictionSink>(_ object: ObjectID, charge: UInt32, _ sink: inout Sink) -> Bool {
        let old = table.entry(of: object)
        var uses: UInt32 = 1
        if old != 0 {
            if keepsUses { uses = table.notes[Int(old)].uses &+ 1 }
            learn(from: old)
            takeOut(old)
        }
        while !budget.fits(charge) { evictNext(&sink) }
        let entry = table.add(object, charge: charge)
        table.notes[Int(entry)].other = frequencies.append(object, uses: uses)
        table.link(entry, before: Self.resident)
        budget.add(charge)
        time &+= 1
        return true
    }

    /// Lowers the weight of the expert that evicted a ghost.
    @usableFromInline
    mutating func learn(from ghost: UInt32) {
        let age = Double(time &- table.notes[Int(ghost)].other)
        let factor = exp(-learningRate * pow(discount, age / Double(budget.limit)))
        var weights = (recencyWeight, 1 - recencyWeight)
        if table.notes[Int(ghost)].queue == 1 { weights.0 *= factor } else { weights.1 *= factor }
        // Neither weight comes so close to 0 that it takes long to return.
        recencyWeight = min(max(weights.0 / (weights.0 + weights.1), 0.01), 0.99)
    }

    /// The entries that both experts evict next, and the one that is chosen.
    @inlinable
    mutating func choose() -> (entry: UInt32, queue: UInt32) {
        let recent = table.oldest(Self.resident)
        let frequent = table.knownEntry(of: frequencies.table.object(frequencies.nextVictim()))
        if recent == frequent { return (recent, 0) }
        return random.fraction() < recencyWeight ? (recent, Self.recentGhost) : (frequent, Self.frequentGhost)
    }

    @inlinable
    package mutating func evictNext<Sink: EvictionSink>(_ sink: inout Sink) {
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
        if queue == Self.recentGhost {
            recentGhosts.remember(entry, in: &table, &sink)
        } else {
            frequentGhosts.remember(entry, in: &table, &sink)
        }
    }

    /// The victim of a miss on an object that is in no history.
    @inlinable
    package mutating func upcomingVictim() -> ObjectID? {
        guard budget.count > 0 else { return nil }
        // The eviction draws the same number again.
        let before = random
        defer { random = before }
        return table.object(choose().entry)
    }
}
