import Testing
import TrialModel

@testable import EvictionPolicies

extension RandomPolicy {
    /// A policy that evicts the same objects whenever it has the same seed.
    init(capacity: PolicyCapacity, seed: UInt64) {
        self.init(capacity: capacity)
        random = RandomStream(seed: seed)
    }
}

/// What every policy promises.
@Suite(.timeLimit(.minutes(5)))
struct EvictionPolicyTests {
    @Test(arguments: ModelCase.all) func `a request is a lookup and, on a miss, an insert`(_ test: ModelCase) throws {
        try compareHalves(test) { LRUPolicy(capacity: $0) }
        try compareHalves(test) { FIFOPolicy(capacity: $0) }
        try compareHalves(test) { CLOCKPolicy(capacity: $0) }
        try compareHalves(test) { SIEVEPolicy(capacity: $0) }
        try compareHalves(test) { RandomPolicy(capacity: $0, seed: 7) }
        try compareHalves(test) { LFUPolicy(capacity: $0) }
        try compareHalves(test) { TwoQueuePolicy(capacity: $0) }
        try compareHalves(test) { S3FIFOPolicy(capacity: $0) }
        try compareHalves(test) { ARCPolicy(capacity: $0) }
        try compareHalves(test) { CARPolicy(capacity: $0) }
        try compareHalves(test) { CLOCKProPolicy(capacity: $0) }
        try compareHalves(test) { S4FIFOPolicy(capacity: $0) }
        try compareHalves(test) { Clock2QPlusPolicy(capacity: $0) }
        try compareHalves(test) { LIRSPolicy(capacity: $0) }
        try compareHalves(test) { WTinyLFUPolicy(capacity: $0) }
        try compareHalves(test) { HyperbolicPolicy(capacity: $0) }
        try compareHalves(test) { LHDPolicy(capacity: $0) }
        try compareHalves(test) { LeCaRPolicy(capacity: $0) }
        try compareHalves(test) { CacheusPolicy(capacity: $0) }
        try compareHalves(test) { _ in FIFOPolicy(capacity: .entries(.max)) }
    }

    private func compareHalves<Policy: CheckedPolicy & ~Copyable>(
        _ test: ModelCase, _ make: (PolicyCapacity) -> Policy
    ) throws {
        var whole = make(test.capacity)
        var halves = make(test.capacity)
        var random = RandomSource(seed: test.seed, stream: 2)
        for step in 0..<400 {
            let fraction = random.nextFraction()
            let object = ObjectID(fraction * fraction * 80)
            let weight = random.next(below: 12)
            let isHit = halves.lookup(object)
            if !isHit { _ = halves.insert(object, weight: weight) }
            let isWholeHit = whole.request(object, weight: weight)
            guard isWholeHit == isHit, whole.weight == halves.weight, whole.count == halves.count else {
                throw PolicyInvariantViolation("\(Policy.self), step \(step): the halves make different decisions")
            }
        }
        try whole.checkInvariants()
        try halves.checkInvariants()
    }

    @Test(arguments: ModelCase.all) func `random keeps within its capacity`(_ test: ModelCase) throws {
        var policy = RandomPolicy(capacity: test.capacity, seed: test.seed)
        var residents: Set<ObjectID> = []
        var random = RandomSource(seed: test.seed, stream: 3)
        for _ in 0..<400 {
            let object = ObjectID(random.next(below: 90))
            var sink = RecordingSink()
            if random.next(below: 10) == 0 {
                policy.remove(object, &sink)
                residents.remove(object)
            } else if policy.insert(object, weight: random.next(below: 12), &sink) {
                residents.insert(object)
            }
            residents.subtract(sink.evictedObjects)
            try policy.checkInvariants()
            let held = Set((0..<90).filter { policy.contains($0) })
            guard residents == held else { throw PolicyInvariantViolation("\(held) held, not \(residents)") }
        }
    }

    @Test func `random evicts the same objects for the same seed, and others for another`() {
        func misses(seed: UInt64) -> [Bool] {
            var policy = RandomPolicy(capacity: .entries(50), seed: seed)
            var random = RandomSource(seed: 1)
            return (0..<2000).map { _ in policy.request(ObjectID(random.next(below: 100)), weight: 1) }
        }
        #expect(misses(seed: 5) == misses(seed: 5))
        #expect(misses(seed: 5) != misses(seed: 6))
    }

    @Test func `random evicts every object equally often`() {
        var policy = RandomPolicy(capacity: .entries(10), seed: 1)
        // Each new object evicts one of ten; object 0 is inserted again whenever it was evicted.
        var evictions = 0
        for number in 0..<100_000 {
            _ = policy.request(ObjectID(1 + number), weight: 1)
            if !policy.request(0, weight: 1) { evictions += 1 }
        }
        #expect((9_600...10_400).contains(evictions))
    }

    @Test func `an object too heavy for the capacity is refused, and its older version is removed`() {
        var policy = LRUPolicy(capacity: .weight(10))
        var sink = RecordingSink()
        let kept = [(1, 4), (2, 4), (1, 11)].map { policy.insert(ObjectID($0.0), weight: UInt64($0.1), &sink) }
        #expect(kept == [true, true, false])
        #expect(sink.evictedObjects == [1])
        #expect(sink.forgottenObjects == [1])
        let resident = (1...2).filter { policy.contains($0) }
        #expect(resident == [2])
        #expect(policy.weight == 4)
    }

    @Test func `a negative capacity holds nothing, and an enormous one everything`() {
        var nothing = LRUPolicy(capacity: .entries(-5))
        let misses = (0..<3).map { _ in nothing.request(1, weight: 1) }
        #expect(misses == [false, false, false])
        var entries = ARCPolicy(capacity: .entries(.max))
        let hits = (0..<2).map { _ in entries.request(1, weight: .max) }
        #expect(hits == [false, true])
        var weights = WTinyLFUPolicy(capacity: .weight(.max))
        let weightHits = (0..<2).map { _ in weights.request(1, weight: 1 << 62) }
        #expect(weightHits == [false, true])
        #expect(weights.weight == 1 << 62)
    }

    @Test func `object numbers may be far apart`() {
        var policy = S3FIFOPolicy(capacity: .entries(100))
        let hits = (0..<2).map { _ in policy.request(3_000_000, weight: 1) }
        #expect(hits == [false, true])
        let isResident = policy.contains(4_000_000_000)
        #expect(!isResident)
    }

    @Test func `a fingerprint carries a key's frequency to its next number`() {
        var policy = WTinyLFUPolicy(capacity: .entries(100))
        policy.setFingerprint(77, of: 5)
        for _ in 0..<8 { _ = policy.request(5, weight: 1) }
        policy.remove(5)
        policy.setFingerprint(77, of: 9)
        let frequencies = [9, 6].map { policy.sketch.frequency(policy.fingerprint(of: $0)) }
        #expect(frequencies == [8, 0])
    }
}
