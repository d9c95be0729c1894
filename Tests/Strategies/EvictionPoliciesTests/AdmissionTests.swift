import Foundation
import Testing
import TrialModel

@testable import EvictionPolicies

@Suite(.timeLimit(.minutes(5)))
struct AdmissionTests {
    @Test func `what a policy names as its next victim is evicted next`() throws {
        try checkVictims { RandomPolicy(capacity: $0) }
        try checkVictims { HyperbolicPolicy(capacity: $0) }
        try checkVictims { LHDPolicy(capacity: $0) }
        try checkVictims { LeCaRPolicy(capacity: $0) }
        try checkVictims { CacheusPolicy(capacity: $0) }
        try checkVictims { LRUPolicy(capacity: $0) }
        try checkVictims { S3FIFOPolicy(capacity: $0) }
        try checkVictims { ARCPolicy(capacity: $0) }
        try checkVictims { LIRSPolicy(capacity: $0) }
    }

    private func checkVictims<Policy: CheckedPolicy & ~Copyable>(_ make: (PolicyCapacity) -> Policy) throws {
        var policy = make(.entries(20))
        var random = RandomSource(seed: 1)
        #expect(policy.upcomingVictim() == nil)
        for step in 0..<2000 {
            let fraction = random.nextFraction()
            _ = policy.request(ObjectID(fraction * fraction * 60), weight: 1)
            guard policy.count == 20, step % 7 == 0 else { continue }
            let named = policy.upcomingVictim()
            var sink = RecordingSink()
            _ = policy.insert(ObjectID(1000 + step), weight: 1, &sink)
            guard sink.evictedObjects.first == named else {
                throw PolicyInvariantViolation("\(Policy.self) named \(named ?? .max), not \(sink.evictedObjects)")
            }
            try policy.checkInvariants()
        }
    }

    @Test func `only a policy that compares objects itself names no victim`() {
        func names<Policy: TablePolicy & ~Copyable>(_ policy: consuming Policy) -> Bool {
            _ = policy.request(1, weight: 1)
            let victim = policy.upcomingVictim()
            return victim != nil
        }
        #expect(names(WTinyLFUPolicy(capacity: .entries(1))) == !WTinyLFUPolicy.comparesNewObjects)
        #expect(names(CacheusPolicy(capacity: .entries(1))) == !CacheusPolicy.comparesNewObjects)
        #expect(WTinyLFUPolicy.comparesNewObjects)
    }

    @Test func `a refused ghost stays a ghost, and another refused object is not known`() {
        var cache = ARCPolicy(capacity: .entries(2))
        let admission = TinyLFUAdmission(capacity: .entries(2), settings: PolicySettings())
        for object in [ObjectID(1), 1, 2, 2] { _ = cache.request(object, weight: 1, admission) }
        // The third one evicts the first, whose ghost then is less frequent than both residents.
        for object in [ObjectID(3), 3, 3, 3, 2, 2] { _ = cache.request(object, weight: 1, admission) }
        for object in [ObjectID(1), 9] { _ = cache.request(object, weight: 1, admission) }
        let held = [ObjectID(1), 9].map { cache.contains($0) }
        let known = [ObjectID(1), 9].map { cache.table.entry(of: $0) != 0 }
        #expect(held == [false, false])
        #expect(known == [true, false])
    }

    @Test func `a Bloom filter errs only on numbers beyond its size, and rarely`() {
        var settings = PolicySettings()
        settings[SecondRequestAdmission.memoryParameter] = 10_000
        let admission = SecondRequestAdmission(capacity: .entries(1), settings: settings)
        func seen(_ objects: some Sequence<Int>) -> Int {
            objects.count { admission.admits(ObjectID($0), charge: 1, over: nil, residents: 0) }
        }
        #expect(seen(0..<10_000) == 0)
        #expect(seen(0..<10_000) == 10_000)
        let errors = seen((1...20_000).map { 1_000_000 + $0 * 7919 })
        #expect((1..<1200).contains(errors))
    }

    @Test func `sizes are admitted with their probability`() {
        var settings = PolicySettings()
        settings[SizeAdmission.scaleParameter] = 100
        settings[SizeAdmission.limitParameter] = 300
        let admission = SizeAdmission(capacity: .weight(1000), settings: settings)
        let rates = [1, 100, 200, 299, 300].map { size in
            Double((0..<20_000).count { _ in admission.admits(1, charge: size, over: nil, residents: 0) }) / 20_000
        }
        let expected = [0.990, 0.368, 0.135, 0.050, 0]
        for (rate, expected) in zip(rates, expected) { #expect(abs(rate - expected) < 0.01) }
    }

    /// Many small objects are popular, and large ones fill the cache: with LRU they evict the small ones.
    @Test func `the tuned scale keeps small objects where they hit more`() {
        func hits(_ admission: AdaptSizeAdmission?) -> Int {
            var policy = LRUPolicy(capacity: .weight(6000))
            var random = RandomSource(seed: 3)
            return (0..<60_000).count { _ in
                let isLarge = random.next(below: 4) == 0
                let object = ObjectID(random.next(below: isLarge ? 500 : 400)) + (isLarge ? 1000 : 0)
                return policy.request(object, weight: isLarge ? 1000 : 10, admission)
            }
        }
        var settings = PolicySettings()
        settings[AdaptSizeAdmission.windowParameter] = 5000
        let plain = hits(nil)
        let adapted = hits(AdaptSizeAdmission(capacity: .weight(6000), settings: settings))
        #expect(Double(adapted) > 1.5 * Double(plain), "\(adapted) and \(plain)")
    }

    @Test func `rates fade, and objects that are not requested for two windows are forgotten`() {
        var settings = PolicySettings()
        settings[AdaptSizeAdmission.windowParameter] = 100
        let admission = AdaptSizeAdmission(capacity: .weight(50), settings: settings)
        for object in ObjectID(0)..<1000 { admission.use(object, charge: 1) }
        // 0.7 of one request, of which the next window leaves 0.3.
        let rates = [950, 850, 750].map { admission.objects[$0].rate }
        for (rate, expected) in zip(rates, [Float(0.7), 0.21, 0]) { #expect(abs(rate - expected) < 1e-6) }
        #expect(admission.known.count == 200)
    }

    /// The model's hits for some scales, against a cache that is simulated with the same rates.
    @Test func `the model of the cache foresees its hits`() {
        for scale in [20.0, 200, 5000] {
            var settings = PolicySettings()
            settings[SizeAdmission.scaleParameter] = scale
            var cache = LRUPolicy(capacity: .weight(3000))
            let admission = SizeAdmission(capacity: .weight(3000), settings: settings)
            var random = RandomSource(seed: 4)
            func draw() -> ObjectID {
                let fraction = random.nextFraction()
                return ObjectID(fraction * fraction * 600)
            }
            func size(_ object: ObjectID) -> UInt64 { UInt64(1 + object * 37 % 97) }
            for _ in 0..<20_000 {
                let object = draw()
                _ = cache.request(object, weight: size(object), admission)
            }
            let hits = (0..<50_000).count { _ in
                let object = draw()
                return cache.request(object, weight: size(object), admission)
            }
            var model = AdmissionModel(limit: 3000)
            for object in ObjectID(0)..<600 {
                // The probability of an object, by the inverse of the square.
                let rate = (Double(object + 1) / 600).squareRoot() - (Double(object) / 600).squareRoot()
                model.add(rate: rate * 50_000, size: Double(size(object)))
            }
            var time = 0.01
            let expected = model.hits(exponent: log2(scale), &time)
            #expect(abs(expected - Double(hits)) < 1000, "c = \(scale): \(expected) and \(hits)")
        }
    }
}
