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
struct HyperbolicPolicy: SampledPolicy, ~Copyable {
    /// The uses of an object, and when it was admitted.
    struct Life: EntryNote {
        var uses: UInt32 = 1
        /// The number of the request, without the bits above 2^32.
        var admitted: UInt32 = 0
    }

    var table = EntryTable<Life, TraceEntry>(queueCount: 1)
    var budget: Budget
    /// The number of the present request.
    var time: UInt32 = 0
    let sample: Int
    var random = RandomStream()

    init(capacity: PolicyCapacity, settings: PolicySettings) {
        budget = Budget(capacity)
        sample = settings.count(Self.sampleParameter)
    }

    static var sampleParameter: PolicyParameter {
        PolicyParameter("sample", .count, 1...1024, standard: 64, "random objects of which the worst is evicted")
    }

    @inline(__always)
    mutating func use(_ entry: UInt32) {
        let uses = table.notes[Int(entry)].uses
        table.notes[Int(entry)].uses = uses == .max ? uses : uses &+ 1
        time &+= 1
    }

    mutating func nextVictim() -> UInt32 {
        var worst: UInt32 = 0
        var (worstUses, worstAge): (UInt64, UInt64) = (1, 0)
        var bits: UInt64 = 0
        for index in 0..<sample {
            let entry = drawEntry(index, &bits)
            let life = table.notes[Int(entry)]
            let (uses, age) = (UInt64(life.uses), UInt64(max(time &- life.admitted, 1)))
            // uses / age < worstUses / worstAge
            if uses &* worstAge < worstUses &* age || worst == 0 {
                (worst, worstUses, worstAge) = (entry, uses, age)
            }
        }
        return worst
    }

    @inline(__always)
    mutating func enter(_ entry: UInt32) {
        table.notes[Int(entry)].uses = 1
        table.notes[Int(entry)].admitted = time
        time &+= 1
    }

    static var declaration: PolicyDeclaration {
        PolicyDeclaration(
            name: "hyperbolic", summary: "evicts the object with the fewest uses per time of 64 random ones",
            source: "Blankstein, Sen and Freedman, USENIX ATC 2017",
            agreement: """
                libcachesim 0.3.5: its misses are within 0.04 pp on OLTP, P3 and cloudPhysicsIO, 0.2 in a trace of \
                26,000 requests (means of 2 or 3 seeds; it samples the heads of hash chains, not all objects alike)
                """,
            advice: """
                Take it where popularity is skewed and steady, and where recency says little. An eviction reads 64 \
                random entries, which is slow in a large cache; a hit is a plain count.
                """,
            parameters: [sampleParameter])
    }
}
