/// Hyperbolic caching: evicts, of some random objects, the one with the fewest uses per time since it was admitted.
///
/// A. Blankstein, S. Sen, M. J. Freedman: Hyperbolic Caching: Flexible Caching for Web Applications, USENIX ATC 2017.
/// An object's priority is its number of uses, 1 at its admission, divided by the number of requests since then. It
/// falls for all objects at different speeds, so that no order can be kept; the victim is the lowest of 64 random
/// objects, drawn with replacement.
///
/// Variant: without the paper's costs and classes. Time counts hits and admissions. The random numbers come from a
/// fixed seed. On OLTP with 1,000 entries 65.99 % miss, in libcachesim 66.03 % (LRU 67.17 %).
///
/// Weights: the priority does not depend on the size (the paper divides by it only where sizes are given as costs);
/// objects are evicted until the new one fits. An eviction costs O(sample).
@usableFromInline
package struct HyperbolicPolicy: ExchangePolicy, ~Copyable {
    /// The uses of an object, and when it was admitted.
    @usableFromInline
    package struct Life: EntryNote {
        @usableFromInline
        var uses: UInt32 = 1
        /// The number of the request, without the bits above 2^32.
        @usableFromInline
        var admitted: UInt32 = 0

        @inlinable
        package init() {}
    }

    /// Queue 0 is never used: entries 1 to `count` are the resident objects.
    @usableFromInline
    package var table = EntryTable<Life, TraceEntry>(queueCount: 1)
    @usableFromInline
    package var budget: Budget
    /// The number of the present request.
    @usableFromInline
    var time: UInt32 = 0
    @usableFromInline
    let sample: Int
    @usableFromInline
    var random: RandomStream

    @inlinable
    package init(capacity: PolicyCapacity) { self.init(capacity: capacity, settings: PolicySettings()) }

    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings) {
        self.init(capacity: capacity, settings: settings, seed: 0)
    }

    /// A policy that evicts the same objects whenever it has the same seed.
    @inlinable
    package init(capacity: PolicyCapacity, settings: PolicySettings, seed: UInt64) {
        budget = Budget(capacity)
        sample = settings.count(Self.sampleParameter)
        random = RandomStream(seed: seed)
    }

    @usableFromInline static var sampleParameter: PolicyParameter {
        PolicyParameter("sample", .count, 1...1024, standard: 64, "random objects of which the worst is evicted")
    }

    @inlinable
    @inline(__always)
    package mutating func use(_ entry: UInt32) {
        let uses = table.notes[Int(entry)].uses
        table.notes[Int(entry)].uses = uses == .max ? uses : uses &+ 1
        time &+= 1
    }

    @inlinable
    package mutating func nextVictim() -> UInt32 {
        let count = UInt64(budget.count)
        var bits: UInt64 = 0
        var worst: UInt32 = 0
        var (worstUses, worstAge): (UInt64, UInt64) = (1, 0)
        for index in 0..<sample {
            // A draw is enough for two objects.
            bits = index & 1 == 0 ? random.next() : bits &>> 32
            let entry = 1 &+ RandomStream.scale(bits, below: count)
            let life = table.notes[Int(entry)]
            let (uses, age) = (UInt64(life.uses), UInt64(max(time &- life.admitted, 1)))
            // uses / age < worstUses / worstAge
            if uses &* worstAge < worstUses &* age || worst == 0 {
                (worst, worstUses, worstAge) = (entry, uses, age)
            }
        }
        return worst
    }

    @inlinable
    package mutating func upcomingVictim() -> ObjectID? {
        guard budget.count > 0 else { return nil }
        // The eviction draws the same objects again.
        let before = random
        defer { random = before }
        return table.object(nextVictim())
    }

    @inlinable
    @inline(__always)
    package mutating func enter(_ entry: UInt32) {
        table.notes[Int(entry)].uses = 1
        table.notes[Int(entry)].admitted = time
        time &+= 1
    }

    @inlinable
    @inline(__always)
    package mutating func reenter(_ entry: UInt32) { enter(entry) }

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
        time = 0
        random.restart()
    }

    @usableFromInline
    package func checkInvariants() throws(PolicyInvariantViolation) {
        let entries = (1..<max(table.entryCount, 1)).map { UInt32($0) }
        try table.check(objectsIn: entries)
        try budget.check(count: entries.count, used: table.charge(of: entries))
        for entry in entries where table.notes[Int(entry)].uses == 0 || table.notes[Int(entry)].admitted >= time {
            throw PolicyInvariantViolation("\(entry) was never used, or after the last request")
        }
    }
}

extension HyperbolicPolicy {
    @usableFromInline
    package static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "hyperbolic", summary: "evicts the object with the fewest uses per time of 64 random ones",
            source: "Blankstein, Sen and Freedman, USENIX ATC 2017",
            agreement: """
                libcachesim 0.3.5: its misses are within 0.04 points on OLTP, P3 and cloudPhysicsIO, 0.2 in a trace of \
                26,000 requests (means of 2 or 3 seeds; it samples the heads of hash chains, not all objects alike)
                """,
            advice: """
                Take it where popularity is skewed and steady, and where recency says little. An eviction reads 64 \
                random entries, which is slow in a large cache; a hit is a plain count.
                """,
            parameters: [sampleParameter])
    }
}
