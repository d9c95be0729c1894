/// Random: evicts any resident object with equal probability.
///
/// The baseline of L. A. Belady: A Study of Replacement Algorithms for a Virtual-Storage Computer, IBM Systems
/// Journal 5(2), 1966. The random numbers come from a seed (``RandomStream``).
///
/// Weights: objects are evicted until the new one fits.
@usableFromInline
package struct RandomPolicy: ExchangePolicy, ~Copyable {
    /// Queue 0 is never used: entries 1 to `count` are the resident objects.
    @usableFromInline
    package var table = EntryTable<NoNote, TraceEntry>(queueCount: 1)
    @usableFromInline
    var random: RandomStream
    @usableFromInline
    package var budget: Budget

    @inlinable
    package init(capacity: PolicyCapacity) {
        self.init(capacity: capacity, seed: 0)
    }

    /// A policy that evicts the same objects whenever it has the same seed.
    @inlinable
    package init(capacity: PolicyCapacity, seed: UInt64) {
        random = RandomStream(seed: seed)
        budget = Budget(capacity)
    }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) {}

    /// The entry of a random resident object; the bias of the selection is below count / 2^32.
    @inlinable
    @inline(__always)
    package mutating func nextVictim() -> UInt32 {
        1 &+ RandomStream.scale(random.next() &>> 32, below: UInt64(budget.count))
    }

    @inlinable
    package mutating func upcomingVictim() -> ObjectID? {
        guard budget.count > 0 else { return nil }
        // The eviction draws the same number again.
        let before = random
        defer { random = before }
        return table.object(nextVictim())
    }

    @inlinable
    @inline(__always)
    package mutating func enter(_ entry: UInt32) {}

    @inlinable
    @inline(__always)
    package mutating func reenter(_ entry: UInt32) {}

    /// Removes an object; the last entry's object moves into the gap.
    @inlinable
    package mutating func takeOut(_ entry: UInt32) {
        budget.subtract(table.charge(entry))
        table.dropFillingGap(entry)
    }

    @inlinable
    package mutating func removeAll() {
        table.removeAll()
        budget.reset()
        random.restart()
    }
}

extension RandomPolicy {
    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "random", summary: "evicts a random object, with a fixed seed",
            source: "Belady, IBM Systems Journal 5(2), 1966",
            agreement: "libcachesim 0.3.5, within the noise of seeds",
            advice: """
                A baseline: a policy that misses more often than this one does harm. In a loop it is better than LRU.
                """)
    }
}
