extension LIRS {
    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) {
        let stack = try table.entries(inQueue: 0)
        let loose = try table.entries(inQueue: Self.loose)
        let queue = try entriesOfQ()
        func state(_ entry: UInt32) -> UInt32 { table.notes[Int(entry)].state }
        let lirs = stack.filter { state($0) & Self.lir != 0 }
        for entry in stack where state(entry) & Self.inStack == 0 {
            throw PolicyInvariantViolation("\(entry) is in S, but its state is \(state(entry))")
        }
        for entry in queue where state(entry) & ~Self.inStack != Self.resident {
            throw PolicyInvariantViolation("\(entry) is in Q, but its state is \(state(entry))")
        }
        for entry in lirs where state(entry) & Self.resident == 0 {
            throw PolicyInvariantViolation("\(entry) is LIR, but not resident")
        }
        for entry in loose where state(entry) != 0 {
            throw PolicyInvariantViolation("\(entry) waits to be forgotten, but its state is \(state(entry))")
        }
        if let oldest = stack.first, state(oldest) & Self.lir == 0 {
            throw PolicyInvariantViolation("the oldest entry \(oldest) of S is not LIR")
        }
        let outside = queue.filter { state($0) & Self.inStack == 0 }
        try table.check(objectsIn: stack + loose + outside)
        guard stackCount == stack.count, stackCount <= stackCapacity else {
            throw PolicyInvariantViolation(
                "S holds \(stack.count) entries, its count is \(stackCount), and \(count) are resident")
        }
        let older = stack.prefix { $0 != firstCandidate }
        guard firstCandidate == 0 || (stack.contains(firstCandidate) && older.allSatisfy { state($0) & Self.lir != 0 })
        else { throw PolicyInvariantViolation("a HIR object is older in S than the candidate \(firstCandidate)") }
        try Budget.check("LIR", is: lirUsed, found: table.charge(of: lirs), limit: lirLimit)
        try budget.check(count: lirs.count + queue.count, used: lirUsed + table.charge(of: queue))
    }

    private func entriesOfQ() throws(PolicyInvariantViolation) -> [UInt32] {
        var found: [UInt32] = []
        var previous: UInt32 = 0
        var entry = table.notes[0].newerInQ
        while entry != 0 {
            guard table.notes[Int(entry)].olderInQ == previous, found.count < table.entryCount else {
                throw PolicyInvariantViolation("Q is broken between \(previous) and \(entry)")
            }
            found.append(entry)
            previous = entry
            entry = table.notes[Int(entry)].newerInQ
        }
        guard table.notes[0].olderInQ == previous else {
            throw PolicyInvariantViolation("Q ends at \(previous), not at \(table.notes[0].olderInQ)")
        }
        return found
    }
}
