extension EntryTable where Note: QueueNote {
    /// The entries of queues 0 up to `count`, each of which must have its queue's number in its note.
    ///
    /// - Throws: `PolicyInvariantViolation` when notes or links are inconsistent.
    func numberedQueues(_ count: UInt32) throws(PolicyInvariantViolation) -> [[UInt32]] {
        var queues: [[UInt32]] = []
        for queue in 0..<count {
            let entries = try entries(inQueue: queue)
            for entry in entries where notes[Int(entry)].queue != queue {
                throw PolicyInvariantViolation("\(entry) in queue \(queue) has the note \(notes[Int(entry)].queue)")
            }
            guard notes[Int(queue)].queue == 0 else { throw PolicyInvariantViolation("queue \(queue) has a note") }
            queues.append(entries)
        }
        try check(objectsIn: queues.flatMap(\.self))
        return queues
    }
}

extension TwoQueue {
    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) {
        let queues = try table.numberedQueues(3)
        let weights = queues.map { table.charge(of: $0) }
        try Budget.check("A1in", is: recentUsed, found: weights[0])
        try Budget.check("A1out", is: ghosts.used, found: weights[1], limit: ghosts.limit)
        try budget.check(count: queues[0].count + queues[2].count, used: weights[0] + weights[2])
    }
}

extension SmallQueuePolicy where Self: ~Copyable {
    /// Checks the three queues, and that no object has more uses than are counted.
    func checkQueues(usesMax: UInt8) throws(PolicyInvariantViolation) -> [[UInt32]] {
        let queues = try table.numberedQueues(3)
        for entry in queues.flatMap(\.self) where table.notes[Int(entry)].uses > usesMax {
            throw PolicyInvariantViolation(
                "\(entry) was used \(table.notes[Int(entry)].uses) times, more than are counted")
        }
        let weights = queues.map { table.charge(of: $0) }
        try Budget.check("the main queue", is: mainUsed, found: weights[1])
        try Budget.check("the ghost queue", is: ghosts.used, found: weights[2], limit: ghosts.limit)
        try budget.check(count: queues[0].count + queues[1].count, used: weights[0] + weights[1])
        return queues
    }
}

extension S3FIFO {
    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) { _ = try checkQueues(usesMax: 3) }
}

extension WindowedFIFO {
    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) {
        let queues = try checkQueues(usesMax: 15)
        let window = queues[0].drop { $0 != windowEnd }
        guard window.first ?? 0 == windowEnd, window.allSatisfy({ table.notes[Int($0)].step == 0 }),
            (queues[0].dropLast(window.count) + queues[1] + queues[2]).allSatisfy({ table.notes[Int($0)].step == 1 })
        else { throw PolicyInvariantViolation("the window begins at \(windowEnd), but not all steps agree") }
        try Budget.check("the window", is: windowUsed, found: table.charge(of: Array(window)))
    }
}

extension ARC {
    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) {
        let queues = try table.numberedQueues(4)
        let weights = queues.map { table.charge(of: $0) }
        // Weights that grow with an object's new version are corrected at the next miss.
        let limit = budget.countsEntries ? budget.limit : .max
        try Budget.check("T1", is: used.0, found: weights[0], limit: limit)
        try Budget.check("T2", is: used.1, found: weights[1], limit: limit)
        try Budget.check("B1", is: used.2, found: weights[2], limit: limit)
        try Budget.check("B2", is: used.3, found: weights[3])
        if budget.countsEntries && weights[0] + weights[2] > limit {
            throw PolicyInvariantViolation("T1 with \(weights[0]) and B1 with \(weights[2]) are over \(limit)")
        }
        if budget.countsEntries && weights.reduce(0, +) > 2 * limit {
            throw PolicyInvariantViolation("the lists hold \(weights), more than twice \(limit)")
        }
        guard target >= 0, target <= Double(budget.limit) else {
            throw PolicyInvariantViolation("the target \(target) is not within 0 and \(budget.limit)")
        }
        try budget.check(count: queues[0].count + queues[1].count, used: weights[0] + weights[1])
    }
}

extension CAR {
    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) {
        let queues = try table.numberedQueues(4)
        for entry in (queues[2] + queues[3]) where table.notes[Int(entry)].isUsed {
            throw PolicyInvariantViolation("the ghost \(entry) is marked as used")
        }
        let weights = queues.map { table.charge(of: $0) }
        // Weights that grow with an object's new version are corrected at the next miss.
        let limit = budget.countsEntries ? budget.limit : .max
        try Budget.check("T1", is: used.recent, found: weights[0], limit: limit)
        try Budget.check("B1", is: used.recentGhost, found: weights[2], limit: limit)
        try Budget.check("B2", is: used.frequentGhost, found: weights[3])
        if budget.countsEntries && (weights[0] + weights[2] > limit || weights.reduce(0, +) > 2 * limit) {
            throw PolicyInvariantViolation("the lists hold \(weights), too much for \(limit)")
        }
        guard target >= 0, target <= Double(budget.limit) else {
            throw PolicyInvariantViolation("the target \(target) is not within 0 and \(budget.limit)")
        }
        try budget.check(count: queues[0].count + queues[1].count, used: weights[0] + weights[1])
    }
}

extension WTinyLFU {
    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) {
        let queues = try table.numberedQueues(3)
        let weights = queues.map { table.charge(of: $0) }
        try Budget.check("the window", is: windowUsed, found: weights[0], limit: windowLimit)
        try Budget.check("the protected part", is: protectedUsed, found: weights[2], limit: protectedLimit)
        guard windowLimit + protectedLimit <= budget.limit else {
            throw PolicyInvariantViolation("\(windowLimit) and \(protectedLimit) are more than \(budget.limit)")
        }
        try budget.check(count: queues.map(\.count).reduce(0, +), used: weights.reduce(0, +))
    }
}
