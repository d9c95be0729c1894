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
struct LFUDAPolicy: ExchangePolicy, AgingPolicy, ~Copyable {
    var table = EntryTable<RankedUses, TraceEntry>(queueCount: 1)
    var heap = EntryHeap()
    var budget: Budget
    var age = 0.0
    var time: UInt64 = 0

    init(capacity: PolicyCapacity, settings: PolicySettings) { budget = Budget(capacity) }

    @inline(__always)
    func rank(uses: UInt32, charge: UInt64) -> Double { age + Double(uses) }

    @inline(__always)
    mutating func nextVictim() -> UInt32 { lowestRanked() }

    /// Unlike an eviction, this does not age the cache.
    mutating func upcomingVictim() -> ObjectID? { budget.count == 0 ? nil : table.object(heap.lowest.entry) }

    @inline(__always)
    mutating func enter(_ entry: UInt32) {
        time &+= 1
        table.linkAlone(entry)
        heap.insert(slot(entry), table.notes)
    }

    @inline(__always)
    mutating func reenter(_ entry: UInt32) {
        time &+= 1
        table.notes[Int(entry)].uses = 1
        heap.change(slot(entry), table.notes)
    }

    static var declaration: PolicyDeclaration {
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
