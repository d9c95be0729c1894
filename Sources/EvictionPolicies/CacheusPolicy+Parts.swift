import Foundation

extension CacheusPolicy {
    /// Lowers the weight of the expert that evicted a ghost; a ghost of SR-LRU that was new also enlarges SR.
    @usableFromInline
    mutating func learn(from ghost: UInt32) {
        let note = table.notes[Int(ghost)]
        let charge = UInt64(table.charge(ghost))
        let isRecent = note.queue == 2
        if isRecent, note.isNew {
            let step = Self.step(demotedCount, newGhostCount &- 1) &* charge
            let single = min(budget.limit &- 1, budget.limit &- reusedLimit &+ step)
            reusedLimit = budget.limit &- single
        }
        if learning.rate == 0 { learning.start(period: period) }
        let factor = exp(-learning.rate)
        var weights = (recencyWeight, 1 - recencyWeight)
        if isRecent { weights.0 *= factor } else { weights.1 *= factor }
        recencyWeight = min(max(weights.0 / (weights.0 + weights.1), 0.01), 0.99)
    }

    @inlinable
    mutating func enlargeReused(_ charge: UInt64) {
        reusedLimit = min(budget.limit &- 1, reusedLimit &+ Self.step(newGhostCount, demotedCount) &* charge)
    }

    /// The ratio of two counts, rounded, at least 1.
    @inlinable
    static func step(_ count: Int, _ other: Int) -> UInt64 {
        UInt64(max(1, Double(count) / Double(max(other, 1)) + 0.5))
    }

    /// The entry that is evicted next, and the history for it; 0 where both experts agree.
    @inlinable
    mutating func choose() -> (entry: UInt32, queue: UInt32) {
        let recent = table.oldest(table.isEmpty(Self.single) ? Self.reused : Self.single)
        let lowest = frequencies.table.notes[0].higher
        let frequent = table.knownEntry(of: frequencies.table.object(frequencies.table.newest(lowest)))
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
        let charge = table.charge(entry)
        let uses = frequencies.uses(table.notes[Int(entry)].other)
        sink.evicted(table.object(entry))
        leave(entry)
        table.notes[Int(entry)].other = uses
        if queue == Self.recentGhost {
            let limit = recentGhosts.limit
            while recentGhosts.used &+ UInt64(charge) > limit, UInt64(charge) <= limit {
                // Takes the oldest ghost out here, because new ones are counted.
                let oldest = table.oldest(Self.recentGhost)
                sink.forgotten(table.object(oldest))
                takeOut(oldest)
            }
            if table.notes[Int(entry)].isNew, UInt64(charge) <= limit { newGhostCount &+= 1 }
            recentGhosts.remember(entry, in: &table, &sink)
        } else {
            frequentGhosts.remember(entry, in: &table, &sink)
        }
    }

    /// Ends the residence of an object, but keeps its entry in its queue.
    @inlinable
    mutating func leave(_ entry: UInt32) {
        frequencies.takeOut(table.notes[Int(entry)].other)
        if table.notes[Int(entry)].queue == 1 { reusedUsed &-= UInt64(table.charge(entry)) }
        forgetDemotion(entry)
        budget.subtract(table.charge(entry))
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

    @inlinable
    package mutating func reweigh(_ entry: UInt32, charge: UInt32) {
        let old = table.charge(entry)
        if table.notes[Int(entry)].queue == 1 { reusedUsed = reusedUsed &- UInt64(old) &+ UInt64(charge) }
        budget.exchange(old, for: charge)
        table.setCharge(entry, charge)
        demote()
    }

    @inlinable
    package mutating func takeOut(_ entry: UInt32) {
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

    @inlinable
    package mutating func removeAll() {
        table.removeAll()
        budget.reset()
        frequencies.removeAll()
        (recentGhosts.used, frequentGhosts.used, reusedUsed) = (0, 0, 0)
        (demotedCount, newGhostCount, recencyWeight) = (0, 0, 0.5)
        reusedLimit = firstReusedLimit
        learning = CacheusLearningRate()
        random.restart()
    }

    @usableFromInline static var ghostShare: PolicyParameter {
        PolicyParameter("ghosts", .share, 0...2, standard: 0.5, "each history as a share of the capacity")
    }

    @usableFromInline static var singleShare: PolicyParameter {
        PolicyParameter("new", .share, 0...1, standard: 0.01, "SR, the share of the capacity for new objects, at first")
    }

    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) {
        let queues = try table.numberedQueues(4)
        let weights = queues.map { table.charge(of: $0) }
        try Budget.check("R", is: reusedUsed, found: weights[1], limit: reusedLimit)
        try Budget.check("the history of SR-LRU", is: recentGhosts.used, found: weights[2], limit: recentGhosts.limit)
        try Budget.check("that of CR-LFU", is: frequentGhosts.used, found: weights[3], limit: frequentGhosts.limit)
        try budget.check(count: queues[0].count + queues[1].count, used: weights[0] + weights[1])
        try frequencies.checkInvariants()
        let residents = queues[0] + queues[1]
        let demoted = residents.count { table.notes[Int($0)].isDemoted }
        let new = queues[2].count { table.notes[Int($0)].isNew }
        guard demoted == demotedCount, new == newGhostCount, frequencies.count == residents.count else {
            throw PolicyInvariantViolation(
                "\(demoted) are demoted, \(new) ghosts were new, \(frequencies.count) have frequencies")
        }
        for entry in residents
        where frequencies.table.entry(of: table.object(entry)) != table.notes[Int(entry)].other {
            throw PolicyInvariantViolation("\(entry) has another entry in the order of frequencies")
        }
        guard (0.01...0.99).contains(recencyWeight), reusedLimit <= budget.limit else {
            throw PolicyInvariantViolation("SR-LRU has the weight \(recencyWeight), and R the limit \(reusedLimit)")
        }
    }

    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "cacheus", summary: "evicts by a scan-resistant LRU or a churn-resistant LFU; learns which is better",
            source: "Rodriguez et al., FAST 2021",
            agreement: """
                the authors' program (sylab/cacheus): within 0.2 points of misses on OLTP and cloudPhysicsIO, up to 1 \
                point fewer in smaller caches and traces (1 to 6 seeds). libcachesim 0.3.5: from 0.7 points fewer to 11 \
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
