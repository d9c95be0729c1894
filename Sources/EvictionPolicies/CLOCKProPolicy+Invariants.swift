extension CLOCKPro {
    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) {
        let list = try table.entries(inQueue: 0)
        func state(_ entry: UInt32) -> UInt32 { table.notes[Int(entry)].state }
        let hots = list.filter { state($0) & Self.hot != 0 }
        let ghosts = list.filter { state($0) & Self.resident == 0 }
        for entry in hots where state(entry) & ~Self.used != Self.resident | Self.hot {
            throw PolicyInvariantViolation("\(entry) is hot, but its state is \(state(entry))")
        }
        for entry in list where state(entry) & (Self.hot | Self.inTest) == 0 {
            throw PolicyInvariantViolation("\(entry) is in the list, but its state is \(state(entry))")
        }
        for entry in ghosts where state(entry) != Self.inTest {
            throw PolicyInvariantViolation("\(entry) is a ghost, but its state is \(state(entry))")
        }
        let colds = try entriesOfCold()
        let outside = colds.filter { state($0) & Self.inTest == 0 }
        guard colds.count - outside.count == list.count - hots.count - ghosts.count,
            colds.allSatisfy({ state($0) & Self.resident != 0 && state($0) & Self.hot == 0 })
        else { throw PolicyInvariantViolation("cold are \(colds), but in the list \(list)") }
        try table.check(objectsIn: list + outside)
        if let oldest = list.first, !hots.isEmpty, state(oldest) & Self.hot == 0 {
            throw PolicyInvariantViolation("HANDhot is at the cold entry \(oldest)")
        }
        let older = list.prefix { $0 != testHand }
        guard testHand == 0 || (list.contains(testHand) && older.allSatisfy { state($0) & Self.hot != 0 }) else {
            throw PolicyInvariantViolation("a test period is older than that of HANDtest, \(testHand)")
        }
        guard coldTarget >= least, coldTarget <= most, returning == 0 else {
            throw PolicyInvariantViolation("the target \(coldTarget) is not within \(least) and \(most)")
        }
        try Budget.check("hot", is: hotUsed, found: table.charge(of: hots))
        try Budget.check("the ghosts", is: ghostUsed, found: table.charge(of: ghosts), limit: ghostLimit)
        try budget.check(count: hots.count + colds.count, used: hotUsed + table.charge(of: colds))
    }

    private func entriesOfCold() throws(PolicyInvariantViolation) -> [UInt32] {
        var found: [UInt32] = []
        var previous: UInt32 = 0
        var entry = table.notes[0].newerCold
        while entry != 0 {
            guard table.notes[Int(entry)].olderCold == previous, found.count < table.entryCount else {
                throw PolicyInvariantViolation("the cold queue is broken between \(previous) and \(entry)")
            }
            found.append(entry)
            previous = entry
            entry = table.notes[Int(entry)].newerCold
        }
        guard table.notes[0].olderCold == previous else {
            throw PolicyInvariantViolation("the cold queue ends at \(table.notes[0].olderCold), not at \(previous)")
        }
        return found
    }
}
