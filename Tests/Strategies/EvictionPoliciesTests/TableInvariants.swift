@testable import EvictionPolicies

/// A contradiction in a policy's state; the text names the values.
struct PolicyInvariantViolation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A policy whose state can be checked.
protocol CheckedPolicy: TablePolicy, ~Copyable {
    /// Checks that all parts of the state agree. O(objects).
    ///
    /// - Throws: `PolicyInvariantViolation` when they don't.
    func checkInvariants() throws(PolicyInvariantViolation)
}

extension TablePolicy where Self: ~Copyable {
    /// The total weight of the resident objects; their number where entries are counted.
    var weight: UInt64 { budget.used }

    /// One request of a replay. True on a hit.
    ///
    /// - Parameter weight: used on a miss only.
    mutating func request(_ object: ObjectID, weight: UInt64, _ admission: (any AdmissionPolicy)? = nil) -> Bool {
        var isHit = false
        withUnsafePointer(to: object) { object in
            withUnsafePointer(to: weight) { weight in
                withUnsafeMutablePointer(to: &isHit) { isHit in
                    _ = replay(
                        UnsafeBufferPointer(start: object, count: 1), UnsafeBufferPointer(start: weight, count: 1), [],
                        [],
                        admission, UnsafeMutableBufferPointer(start: isHit, count: 1))
                }
            }
        }
        return isHit
    }
}

extension CheckedPolicy where Self: ~Copyable {
    /// Checks that these are all entries, and that they are resident.
    func check(residents entries: [UInt32]) throws(PolicyInvariantViolation) {
        try table.check(objectsIn: entries)
        try budget.check(count: entries.count, used: table.charge(of: entries))
    }
}

extension EntryTable {
    /// The entries of a queue, the oldest first.
    ///
    /// - Throws: `PolicyInvariantViolation` when the links are inconsistent.
    func entries(inQueue queue: UInt32) throws(PolicyInvariantViolation) -> [UInt32] {
        var found: [UInt32] = []
        var entry = newer(queue)
        guard newer(older(queue)) == queue else {
            throw PolicyInvariantViolation(
                "queue \(queue) ends at \(older(queue)), whose successor is \(newer(older(queue)))")
        }
        var previous = queue
        while entry != queue {
            guard Int(entry) < entryCount, found.count < entryCount else {
                throw PolicyInvariantViolation("queue \(queue) has no end, or leaves \(entryCount) entries at \(entry)")
            }
            guard older(entry) == previous else {
                throw PolicyInvariantViolation("\(entry) follows \(previous), but has \(older(entry)) before it")
            }
            found.append(entry)
            previous = entry
            entry = newer(entry)
        }
        return found
    }

    /// Checks that these are the entries of all objects, each once, and that all other entries are free, belong to
    /// queues, or are among `otherCount` entries without an object.
    ///
    /// - Throws: `PolicyInvariantViolation` when they are not.
    func check(objectsIn entries: [UInt32], otherCount: Int = 0) throws(PolicyInvariantViolation) {
        guard Set(entries).count == entries.count else {
            throw PolicyInvariantViolation("an entry is in two queues: \(entries.sorted())")
        }
        for entry in entries where self.entry(of: object(entry)) != entry {
            throw PolicyInvariantViolation(
                "entry \(entry) is of object \(object(entry)), whose entry is \(self.entry(of: object(entry)))")
        }
        let found = objectCount
        guard found == entries.count else {
            throw PolicyInvariantViolation("\(found) objects have entries, but \(entries.count) entries are in queues")
        }
        let freeCount = try countFree()
        guard entries.count + freeCount + otherCount + queueCount == entryCount else {
            throw PolicyInvariantViolation(
                "\(entries.count) objects, \(freeCount) free, \(otherCount) others and \(queueCount) queues are not "
                    + "\(entryCount) entries")
        }
    }

    /// The number of objects that have an entry, by the array from objects to entries, or by the entries' own marks.
    private var objectCount: Int {
        Entry.isPlacedByNumber
            ? (queueCount..<entryCount).count { entries[$0].charge != 0 }
            : (0..<objectCapacity).count { entryOfObject[$0] != 0 }
    }

    private func countFree() throws(PolicyInvariantViolation) -> Int {
        if Entry.isPlacedByNumber { return (queueCount..<entryCount).count { entries[$0].charge == 0 } }
        var freeCount = 0
        var free = firstFree
        while free != 0 {
            guard freeCount < entryCount, Int(free) < entryCount, charge(free) == 0 else {
                throw PolicyInvariantViolation("the chain of free entries has no end, or entry \(free) is in use")
            }
            freeCount += 1
            free = older(free)
        }
        return freeCount
    }

    /// The total charge of some entries.
    func charge(of entries: [UInt32]) -> UInt64 {
        entries.reduce(0) { $0 + charge($1) }
    }
}

extension Budget {
    /// Checks count and weight against the found values and the limit.
    ///
    /// - Throws: `PolicyInvariantViolation` when they differ, or the limit is exceeded.
    func check(count foundCount: Int, used foundUsed: UInt64) throws(PolicyInvariantViolation) {
        guard count == foundCount, used == foundUsed else {
            throw PolicyInvariantViolation(
                "\(foundCount) objects that weigh \(foundUsed) are resident, but the budget says \(count), \(used)")
        }
        guard used <= limit else { throw PolicyInvariantViolation("\(used) is over the limit \(limit)") }
        if countsEntries && UInt64(count) != used {
            throw PolicyInvariantViolation("\(count) entries count as \(used)")
        }
    }

    /// Checks a part's weight against the found value and the part's limit.
    ///
    /// - Throws: `PolicyInvariantViolation` when they differ, or the limit is exceeded.
    static func check(
        _ part: String, is used: UInt64, found: UInt64, limit: UInt64 = .max
    ) throws(PolicyInvariantViolation) {
        guard used == found else { throw PolicyInvariantViolation("\(part) weighs \(found), but its count is \(used)") }
        guard used <= limit else { throw PolicyInvariantViolation("\(part) weighs \(used), over its limit \(limit)") }
    }
}

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

extension EntryHeap {
    /// The entries of the heap, in no particular order.
    ///
    /// - Throws: `PolicyInvariantViolation` when their order or their notes are wrong.
    func checkedEntries<Note: HeapNote>(
        _ notes: UnsafeMutablePointer<Note>
    ) throws(PolicyInvariantViolation) -> [UInt32] {
        for place in 0..<count {
            let slot = slots[place]
            guard Int(notes[Int(slot.entry)].place) == place else {
                throw PolicyInvariantViolation("entry \(slot.entry) is at \(place), but its note says otherwise")
            }
            guard place == 0 || !slot.isBefore(slots[(place - 1) / 4]) else {
                throw PolicyInvariantViolation("entry \(slot.entry) at \(place) comes before its parent")
            }
        }
        return (0..<count).map { slots[$0].entry }
    }
}
