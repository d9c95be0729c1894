extension MQPolicy {
    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "mq", summary: "LRU queues by frequency; unused objects sink; ghosts keep their frequency",
            source: "Zhou, Philbin and Li, USENIX Annual Technical Conference 2001",
            agreement: "libcachesim 0.3.5, to the last miss, with entries and with bytes",
            advice: """
                Take it behind another cache, which takes the quick repetitions away so that frequency matters. The lifetime has to fit the traffic: with a short one it is close to LRU, with a long one to LFU. It keeps four ghosts for each entry.
                """,
            parameters: [queueCount, lifetimeLength, ghostShare])
    }

    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) {
        let queues = try table.numberedQueues(ghosts.queue + 1)
        for (number, queue) in queues.enumerated() where number != Int(ghosts.queue) {
            let expiries = queue.map { table.notes[Int($0)].expiry }
            guard zip(expiries, expiries.dropFirst()).allSatisfy({ $0 <= $1 }) else {
                throw PolicyInvariantViolation("the objects of queue \(number) don't expire in order: \(expiries)")
            }
            if number > 0, let first = expiries.first, first < nextExpiry {
                throw PolicyInvariantViolation("queue \(number) expires at \(first), before \(nextExpiry)")
            }
        }
        for entry in queues.flatMap(\.self) where table.notes[Int(entry)].uses == 0 {
            throw PolicyInvariantViolation("\(entry) was never used")
        }
        let weights = queues.map { table.charge(of: $0) }
        try Budget.check("the ghosts", is: ghosts.used, found: weights[Int(ghosts.queue)], limit: ghosts.limit)
        let residents = queues.dropLast()
        try budget.check(
            count: residents.map(\.count).reduce(0, +), used: weights.dropLast().reduce(0, +))
    }
}
