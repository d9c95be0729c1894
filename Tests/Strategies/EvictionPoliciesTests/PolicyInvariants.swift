@testable import EvictionPolicies

// What must hold in each policy's state after every operation.

extension LRU: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) { try check(residents: table.entries(inQueue: 0)) }
}

extension FIFO: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) { try check(residents: table.entries(inQueue: 0)) }
}

extension HandPolicy where Self: ~Copyable & CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) {
        let entries = try table.entries(inQueue: 0)
        try check(residents: entries)
        guard hand == 0 || entries.contains(hand) else {
            throw PolicyInvariantViolation("the hand is at \(hand), which is not resident")
        }
        guard table.notes[0].value == 0 else { throw PolicyInvariantViolation("the queue itself is marked as used") }
    }
}

extension CLOCK: CheckedPolicy {}
extension SIEVE: CheckedPolicy {}

extension SampledPolicy where Self: ~Copyable & CheckedPolicy {
    /// All entries, which are the resident objects.
    func checkedEntries() throws(PolicyInvariantViolation) -> [UInt32] {
        let entries = (1..<max(table.entryCount, 1)).map { UInt32($0) }
        try check(residents: entries)
        return entries
    }
}

extension RandomPolicy: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) { _ = try checkedEntries() }
}

extension HyperbolicPolicy: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) {
        let entries = try checkedEntries()
        for entry in entries where table.notes[Int(entry)].uses == 0 || table.notes[Int(entry)].admitted >= time {
            throw PolicyInvariantViolation("\(entry) was never used, or after the last request")
        }
    }
}

extension LHDPolicy: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) {
        let entries = try checkedEntries()
        let protected = table.charge(of: entries.filter { table.notes[Int($0)].isProtected })
        guard protectable + Int64(protected) == Int64(budget.share(0.01)) else {
            throw PolicyInvariantViolation("\(protected) is protected, and \(protectable) may still be")
        }
    }
}

extension LFUPolicy: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) {
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

extension AgingPolicy where Self: ~Copyable & CheckedPolicy {
    func checkHeap() throws(PolicyInvariantViolation) { try check(residents: heap.checkedEntries(table.notes)) }
}

extension GDSF: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) { try checkHeap() }
}

extension LFUDAPolicy: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) {
        try checkHeap()
        guard heap.count == 0 || heap.lowest.rank >= age else {
            throw PolicyInvariantViolation("the lowest sum \(heap.lowest.rank) is below the age \(age)")
        }
    }
}

extension TwoQueue: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) {
        let queues = try table.numberedQueues(3)
        let weights = queues.map { table.charge(of: $0) }
        try Budget.check("A1in", is: recentUsed, found: weights[0])
        try Budget.check("A1out", is: ghosts.used, found: weights[2], limit: ghosts.limit)
        try budget.check(count: queues[0].count + queues[1].count, used: weights[0] + weights[1])
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

extension S3FIFO: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) { _ = try checkQueues(usesMax: 3) }
}

extension WindowedFIFO: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) {
        let queues = try checkQueues(usesMax: 15)
        let window = queues[0].drop { $0 != windowEnd }
        guard window.first ?? 0 == windowEnd, window.allSatisfy({ table.notes[Int($0)].step == 0 }),
            (queues[0].dropLast(window.count) + queues[1] + queues[2]).allSatisfy({ table.notes[Int($0)].step == 1 })
        else { throw PolicyInvariantViolation("the window begins at \(windowEnd), but not all steps agree") }
        try Budget.check("the window", is: windowUsed, found: table.charge(of: Array(window)))
    }
}

extension AdaptivePolicy where Self: ~Copyable & CheckedPolicy {
    func checkLists() throws(PolicyInvariantViolation) -> [[UInt32]] {
        let queues = try table.numberedQueues(4)
        let weights = queues.map { table.charge(of: $0) }
        // Weights that grow with an object's new version are corrected at the next miss.
        let limit = budget.countsEntries ? budget.limit : .max
        try Budget.check("T1", is: lists.recent, found: weights[0], limit: limit)
        try Budget.check("T2", is: budget.used - lists.recent, found: weights[1], limit: limit)
        try Budget.check("B1", is: lists.recentGhosts, found: weights[2], limit: limit)
        try Budget.check("B2", is: lists.frequentGhosts, found: weights[3])
        if budget.countsEntries && (weights[0] + weights[2] > limit || weights.reduce(0, +) > 2 * limit) {
            throw PolicyInvariantViolation("the lists hold \(weights), too much for \(limit)")
        }
        guard lists.target >= 0, lists.target <= Double(budget.limit) else {
            throw PolicyInvariantViolation("the target \(lists.target) is not within 0 and \(budget.limit)")
        }
        try budget.check(count: queues[0].count + queues[1].count, used: weights[0] + weights[1])
        return queues
    }
}

extension ARC: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) { _ = try checkLists() }
}

extension CAR: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) {
        let queues = try checkLists()
        for entry in (queues[2] + queues[3]) where table.notes[Int(entry)].isUsed {
            throw PolicyInvariantViolation("the ghost \(entry) is marked as used")
        }
    }
}

extension SegmentedLRU: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) {
        let queues = try table.numberedQueues(UInt32(top + 1))
        let weights = queues.map { table.charge(of: $0) }
        for queue in 0...top {
            let limit = queue == 0 ? UInt64.max : segments[queue].limit
            try Budget.check("segment \(queue)", is: segments[queue].used, found: weights[queue], limit: limit)
        }
        try budget.check(count: queues.map(\.count).reduce(0, +), used: weights.reduce(0, +))
    }
}

extension WTinyLFU: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) {
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

extension LRUKPolicy: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) {
        let few = try table.entries(inQueue: Self.few)
        let remembered = try table.entries(inQueue: Self.ghost)
        let many = try heap.checkedEntries(table.notes)
        for (queue, entries) in [few, many, remembered].enumerated() {
            for entry in entries {
                let note = table.notes[Int(entry)]
                let isRight = queue == 2 || (note.uses == k) == (queue == 1)
                guard Int(note.queue) == queue, isRight, note.uses >= 1, note.uses <= k else {
                    throw PolicyInvariantViolation("\(entry) is in \(queue), but its note is \(note)")
                }
            }
        }
        try table.check(objectsIn: few + remembered + many)
        try Budget.check("the history", is: ghosts.used, found: table.charge(of: remembered), limit: ghosts.limit)
        try budget.check(count: few.count + many.count, used: table.charge(of: few + many))
    }
}

extension MQPolicy: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) {
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

extension LearningPolicy where Self: ~Copyable & CheckedPolicy {
    func checkExperts(_ queues: [[UInt32]], _ names: (String, String)) throws(PolicyInvariantViolation) {
        let weights = queues.map { table.charge(of: $0) }
        try Budget.check(
            "the history of \(names.0)", is: recentGhosts.used, found: weights[2], limit: recentGhosts.limit)
        try Budget.check(
            "the history of \(names.1)", is: frequentGhosts.used, found: weights[3], limit: frequentGhosts.limit)
        let residents = queues[0] + queues[1]
        try budget.check(count: residents.count, used: weights[0] + weights[1])
        try frequencies.checkInvariants()
        guard frequencies.count == residents.count else {
            throw PolicyInvariantViolation("\(frequencies.count) objects have frequencies, not \(residents.count)")
        }
        for entry in residents
        where frequencies.table.entry(of: table.object(entry)) != table.notes[Int(entry)].other {
            throw PolicyInvariantViolation("\(entry) has another entry in the order of frequencies")
        }
        guard (0.01...0.99).contains(recencyWeight) else {
            throw PolicyInvariantViolation("\(names.0) has the weight \(recencyWeight)")
        }
    }
}

extension LeCaRPolicy: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) {
        let queues = try table.numberedQueues(4)
        try checkExperts(queues, ("LRU", "LFU"))
        guard queues[1].isEmpty else { throw PolicyInvariantViolation("\(queues[1]) are in a queue without use") }
    }
}

extension CacheusPolicy: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) {
        let queues = try table.numberedQueues(4)
        try checkExperts(queues, ("SR-LRU", "CR-LFU"))
        try Budget.check("R", is: reusedUsed, found: table.charge(of: queues[1]), limit: reusedLimit)
        let demoted = (queues[0] + queues[1]).count { table.notes[Int($0)].isDemoted }
        let new = queues[2].count { table.notes[Int($0)].isNew }
        guard demoted == demotedCount, new == newGhostCount, reusedLimit <= budget.limit else {
            throw PolicyInvariantViolation(
                "\(demoted) are demoted, \(new) ghosts were new, and R has the limit \(reusedLimit)")
        }
    }
}

extension EntryTable {
    /// The entries of a queue that is linked through the notes, the oldest first. Note 0 is its end.
    func chain(
        _ name: String, _ newer: (Note) -> UInt32, _ older: (Note) -> UInt32
    ) throws(PolicyInvariantViolation) -> [UInt32] {
        var found: [UInt32] = []
        var previous: UInt32 = 0
        var entry = newer(notes[0])
        while entry != 0 {
            guard older(notes[Int(entry)]) == previous, found.count < entryCount else {
                throw PolicyInvariantViolation("\(name) is broken between \(previous) and \(entry)")
            }
            found.append(entry)
            previous = entry
            entry = newer(notes[Int(entry)])
        }
        guard older(notes[0]) == previous else {
            throw PolicyInvariantViolation("\(name) ends at \(older(notes[0])), not at \(previous)")
        }
        return found
    }
}

extension LIRS: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) {
        let stack = try table.entries(inQueue: 0)
        let loose = try table.entries(inQueue: Self.loose)
        let queue = try table.chain("Q", { $0.newerInQ }, { $0.olderInQ })
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
        // The minimum of HIR follows the mean weight only when an object becomes LIR.
        let least = budget.limit - min(max(hirWeight, 2), max(budget.limit, 2) - 1, budget.limit)
        try Budget.check("LIR", is: lirUsed, found: table.charge(of: lirs), limit: least)
        try budget.check(count: lirs.count + queue.count, used: lirUsed + table.charge(of: queue))
    }
}

extension CLOCKProPolicy: CheckedPolicy {
    func checkInvariants() throws(PolicyInvariantViolation) {
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
        let colds = try table.chain("the cold queue", { $0.newerCold }, { $0.olderCold })
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
        guard returning == 0 else { throw PolicyInvariantViolation("the ghost \(returning) is still being admitted") }
        try Budget.check("hot", is: hotUsed, found: table.charge(of: hots))
        try Budget.check("the ghosts", is: ghostUsed, found: table.charge(of: ghosts), limit: ghostLimit)
        try budget.check(count: hots.count + colds.count, used: hotUsed + table.charge(of: colds))
    }
}
