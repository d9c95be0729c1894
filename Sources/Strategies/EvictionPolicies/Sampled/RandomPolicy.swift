/// A policy that evicts one of some random objects. Its table has no queues: entries 1 to `count` are the resident objects.
protocol SampledPolicy: ExchangePolicy, ~Copyable where Entry == TraceEntry {
    /// From a fixed seed.
    var random: RandomStream { get set }
}

extension SampledPolicy where Self: ~Copyable {
    mutating func upcomingVictim() -> ObjectID? {
        guard budget.count > 0 else { return nil }
        // The eviction draws the same numbers again.
        let before = random
        defer { random = before }
        return table.object(nextVictim())
    }

    @inline(__always)
    mutating func reenter(_ entry: UInt32) { enter(entry) }

    /// Removes an object; the last entry's object moves into the gap.
    mutating func takeOut(_ entry: UInt32) {
        budget.subtract(table.charge(entry))
        table.dropFillingGap(entry)
    }

    /// One of several random resident entries, by its index: a draw is enough for two. The bias of the selection is below
    /// count / 2^32.
    @inline(__always)
    mutating func drawEntry(_ index: Int, _ bits: inout UInt64) -> UInt32 {
        bits = index & 1 == 0 ? random.next() : bits &>> 32
        return 1 &+ RandomStream.scale(bits, below: UInt64(budget.count))
    }
}

/// Random: evicts any resident object with equal probability.
///
/// The baseline of L. A. Belady: A Study of Replacement Algorithms for a Virtual-Storage Computer, IBM Systems
/// Journal 5(2), 1966. The random numbers come from a seed (``RandomStream``).
///
/// Weights: objects are evicted until the new one fits.
struct RandomPolicy: SampledPolicy, ~Copyable {
    var table = EntryTable<NoNote, TraceEntry>(queueCount: 1)
    var budget: Budget
    var random = RandomStream()

    init(capacity: PolicyCapacity, settings: PolicySettings) { budget = Budget(capacity) }

    @inline(__always)
    mutating func use(_ entry: UInt32) {}

    /// The entry of a random resident object; the bias of the selection is below count / 2^32.
    @inline(__always)
    mutating func nextVictim() -> UInt32 {
        1 &+ RandomStream.scale(random.next() &>> 32, below: UInt64(budget.count))
    }

    @inline(__always)
    mutating func enter(_ entry: UInt32) {}

    static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "random", summary: "evicts a random object, with a fixed seed",
            source: "Belady, IBM Systems Journal 5(2), 1966",
            agreement: "libcachesim 0.3.5, within the noise of seeds",
            advice: """
                A baseline: a policy that misses more often than this one does harm. In a loop it is better than LRU.
                """)
    }
}
