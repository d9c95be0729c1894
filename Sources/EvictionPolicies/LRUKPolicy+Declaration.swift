extension LRUKPolicy {
    @inlinable
    package mutating func removeAll() {
        table.removeAll()
        budget.reset()
        heap.count = 0
        ghosts.used = 0
        time = 0
    }

    @inlinable
    @inline(never)
    mutating func growTimes() {
        let larger = table.entryCapacity
        let moved = UnsafeMutablePointer<UInt64>.allocate(capacity: larger * k)
        moved.update(from: times, count: timesCapacity * k)
        times.deallocate()
        times = moved
        timesCapacity = larger
    }

    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) {
        let few = try table.entries(inQueue: Self.few)
        let remembered = try table.entries(inQueue: Self.ghost)
        let many = try heap.checkedEntries(table.notes)
        for (queue, entries) in [few, remembered, many].enumerated() {
            for entry in entries {
                let note = table.notes[Int(entry)]
                let isRight = queue == 1 || (note.uses == k) == (queue == 2)
                guard Int(note.queue) == queue, isRight, note.uses >= 1, note.uses <= k else {
                    throw PolicyInvariantViolation("\(entry) is in \(queue), but its note is \(note)")
                }
            }
        }
        try table.check(objectsIn: few + remembered + many)
        try Budget.check("the history", is: ghosts.used, found: table.charge(of: remembered), limit: ghosts.limit)
        try budget.check(count: few.count + many.count, used: table.charge(of: few + many))
    }

    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "lru-k", summary: "evicts the object whose K-th last use is longest ago",
            source: "O'Neil, O'Neil and Weikum, SIGMOD 1993",
            agreement: """
                libcachesim 0.3.5 with K = 2 and without a history, to the last miss; it retains no uses, and with a larger K it evicts objects with fewer uses in order of admission, not of use: with K = 3, from 7 points more misses to 0.7 fewer.
                """,
            advice: """
                Take it for databases, where pages that were read twice matter more than the rows of a scan. A hit costs O(log n) in a heap, and an entry 24 bytes there and 8 for each use. It adapts slowly when popularity changes.
                """,
            parameters: [useCount, history])
    }
}
