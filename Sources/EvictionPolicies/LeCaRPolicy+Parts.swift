extension LeCaRPolicy {
    @inlinable
    package mutating func takeOut(_ entry: UInt32) {
        switch table.notes[Int(entry)].queue {
        case 0:
            frequencies.takeOut(table.notes[Int(entry)].other)
            budget.subtract(table.charge(entry))
            table.drop(entry)
        case 1: recentGhosts.takeOut(entry, of: &table)
        default: frequentGhosts.takeOut(entry, of: &table)
        }
    }

    @inlinable
    package mutating func removeAll() {
        table.removeAll()
        budget.reset()
        frequencies.removeAll()
        (recentGhosts.used, frequentGhosts.used, recencyWeight, time) = (0, 0, 0.5, 0)
        random.restart()
    }

    @usableFromInline static var ghostShare: PolicyParameter {
        PolicyParameter("ghosts", .share, 0...2, standard: 0.5, "each history as a share of the capacity")
    }

    @usableFromInline static var learningRateParameter: PolicyParameter {
        PolicyParameter("rate", .number, 0...10, standard: 0.45, "how fast the weights are learned")
    }

    @usableFromInline static var discountParameter: PolicyParameter {
        PolicyParameter(
            "discount", .number, 1e-9...1, standard: 0.005, "what an eviction as old as the capacity counts")
    }

    @usableFromInline static var keptUsesParameter: PolicyParameter {
        PolicyParameter("kept-uses", .count, 0...1, standard: 0, "1: returning objects keep their number of uses")
    }

    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) {
        let queues = try table.numberedQueues(3)
        let weights = queues.map { table.charge(of: $0) }
        try Budget.check("the history of LRU", is: recentGhosts.used, found: weights[1], limit: recentGhosts.limit)
        try Budget.check("the history of LFU", is: frequentGhosts.used, found: weights[2], limit: frequentGhosts.limit)
        try budget.check(count: queues[0].count, used: weights[0])
        try frequencies.checkInvariants()
        guard frequencies.count == queues[0].count else {
            throw PolicyInvariantViolation("\(frequencies.count) objects have frequencies, not \(queues[0].count)")
        }
        for entry in queues[0]
        where frequencies.table.entry(of: table.object(entry)) != table.notes[Int(entry)].other {
            throw PolicyInvariantViolation("\(entry) has another entry in the order of frequencies")
        }
        guard (0.01...0.99).contains(recencyWeight) else {
            throw PolicyInvariantViolation("LRU has the weight \(recencyWeight)")
        }
    }

    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "lecar", summary: "evicts by LRU or LFU at random, and learns which of the two is better",
            source: "Vietri et al., HotStorage 2018",
            agreement: """
                libcachesim 0.3.5: its misses are within 0.15 points on OLTP, P3 and cloudPhysicsIO, 0.2 on 4 other \
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
