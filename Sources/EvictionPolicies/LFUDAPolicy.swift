/// LFU with dynamic aging: evicts the object with the lowest sum of its uses and of the cache's age when it was last
/// used; the age is the sum of the object that was evicted last.
///
/// M. Arlitt, L. Cherkasova, J. Dilley, R. Friedrich, T. Jin: Evaluating Content Management Techniques for Web Proxy
/// Caches, ACM SIGMETRICS Performance Evaluation Review 27(4), 2000. Among equals, the one whose last use is longest
/// ago is evicted. Uses are counted while an object is resident, from 1 at its admission. On OLTP with 1,000 entries
/// 61.18 % miss (LRU 67.17 %).
///
/// libCacheSim's LFUDA is another policy, with 83.64 % there: it adds the whole age at each use instead of 1, so that
/// sums and age soon drive each other up, and uses before the first eviction count for nothing.
///
/// Requests cost O(log n). Weights: the sums don't contain them; objects are evicted until the new one fits.
@usableFromInline
package struct LFUDAPolicy: ExchangePolicy, ~Copyable {
    /// Queue 0 is never used: the heap orders the objects.
    @usableFromInline
    package var table = EntryTable<RankedUses, TraceEntry>(queueCount: 1)
    @usableFromInline
    var heap = EntryHeap()
    @usableFromInline
    package var budget: Budget
    /// L of the paper.
    @usableFromInline
    var age = 0.0
    /// The number of requests so far.
    @usableFromInline
    var time: UInt64 = 0

    @inlinable
    package init(capacity: PolicyCapacity) {
        budget = Budget(capacity)
    }

    @inlinable
    @inline(__always)
    func slot(_ entry: UInt32) -> EntryHeap.Slot {
        EntryHeap.Slot(entry, rank: age + Double(table.notes[Int(entry)].uses), time: time)
    }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) {
        time &+= 1
        table.notes[Int(entry)].countUse()
        heap.change(slot(entry), table.notes)
    }

    /// The caller evicts it, so the cache is as old as its sum.
    @inlinable
    @inline(__always)
    package mutating func nextVictim() -> UInt32 {
        let lowest = heap.lowest
        age = lowest.rank
        return lowest.entry
    }

    /// Unlike an eviction, this does not age the cache.
    @inlinable
    package mutating func upcomingVictim() -> ObjectID? { budget.count == 0 ? nil : table.object(heap.lowest.entry) }

    @inlinable
    @inline(__always)
    package mutating func enter(_ entry: UInt32) {
        time &+= 1
        table.linkAlone(entry)
        heap.insert(slot(entry), table.notes)
    }

    @inlinable
    @inline(__always)
    package mutating func reenter(_ entry: UInt32) {
        time &+= 1
        table.notes[Int(entry)].uses = 1
        heap.change(slot(entry), table.notes)
    }

    @inlinable
    @inline(__always)
    package mutating func takeOut(_ entry: UInt32) {
        heap.remove(entry, table.notes)
        budget.subtract(table.charge(entry))
        table.drop(entry)
    }

    @inlinable
    package mutating func removeAll() {
        table.removeAll()
        budget.reset()
        heap.count = 0
        age = 0
        time = 0
    }

    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) {
        let entries = try heap.checkedEntries(table.notes)
        try table.check(objectsIn: entries)
        try budget.check(count: entries.count, used: table.charge(of: entries))
        guard heap.count == 0 || heap.lowest.rank >= age else {
            throw PolicyInvariantViolation("the lowest sum \(heap.lowest.rank) is below the age \(age)")
        }
    }
}

extension LFUDAPolicy {
    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "lfuda", summary: "LFU whose counts age with the cache, so that past popularity fades",
            source: "Arlitt et al., ACM SIGMETRICS Performance Evaluation Review 27(4), 2000",
            agreement: """
                libcachesim 0.3.5's GDSF where all objects have the same size and eviction comes first, which is this policy, to the last miss. Its LFUDA adds the age at each use instead of 1, and misses differently.
                """,
            advice: """
                Take it where popularity matters but changes: objects that LFU would keep forever leave in the end. A hit costs O(log n) in a heap, with 24 bytes an entry.
                """)
    }
}
