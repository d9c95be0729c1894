extension OneQueuePolicy where Self: ~Copyable {
    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) {
        let entries = try table.entries(inQueue: 0)
        try table.check(objectsIn: entries)
        try budget.check(count: entries.count, used: table.charge(of: entries))
    }
}

extension CLOCK {
    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) {
        let entries = hand == 0 ? [] : [hand] + (try table.entries(inQueue: hand))
        try table.check(objectsIn: entries)
        try budget.check(count: entries.count, used: table.charge(of: entries))
    }
}

extension SIEVE {
    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) {
        let entries = try table.entries(inQueue: 0)
        try table.check(objectsIn: entries)
        try budget.check(count: entries.count, used: table.charge(of: entries))
        guard hand == 0 || entries.contains(hand) else {
            throw PolicyInvariantViolation("the hand is at \(hand), which is not resident")
        }
        guard table.notes[0].value == 0 else { throw PolicyInvariantViolation("the queue itself is marked as used") }
    }
}

extension RandomPolicy {
    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) {
        let entries = (1..<max(table.entryCount, 1)).map { UInt32($0) }
        try table.check(objectsIn: entries)
        try budget.check(count: entries.count, used: table.charge(of: entries))
    }
}

extension LFUPolicy {
    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) {
        var entries: [UInt32] = []
        var frequencyCount = 0
        var lower: UInt32 = 0
        var frequency = table.notes[0].higher
        while frequency != 0 {
            let place = table.notes[Int(frequency)]
            guard place.lower == lower, place.uses > table.notes[Int(lower)].uses, frequencyCount < table.entryCount
            else {
                throw PolicyInvariantViolation("frequency \(place.uses) is out of order, or its links are wrong")
            }
            let equals = try table.entries(inQueue: frequency)
            guard !equals.isEmpty, equals.allSatisfy({ table.notes[Int($0)].higher == frequency }) else {
                throw PolicyInvariantViolation("frequency \(place.uses) is empty, or has objects of another frequency")
            }
            entries += equals
            frequencyCount += 1
            lower = frequency
            frequency = place.higher
        }
        guard table.notes[0].lower == lower, table.notes[0].uses == 0 else {
            throw PolicyInvariantViolation("the highest frequency is \(lower), not \(table.notes[0].lower)")
        }
        try table.check(objectsIn: entries, otherCount: frequencyCount)
        try budget.check(count: entries.count, used: table.charge(of: entries))
    }
}
