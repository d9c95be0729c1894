import Testing

@testable import EvictionPolicies

/// The victim that a policy announces is the one that it evicts, and announcing it changes no decision.
@Suite(.timeLimit(.minutes(5)))
struct UpcomingVictimTests {
    @Test(arguments: SyntheticTrace.allCases) func `the announced object is evicted first`(
        _ trace: SyntheticTrace
    ) throws {
        for capacity in [PolicyCapacity.entries(40), .weight(900)] {
            try check(trace, SLRUPolicy(capacity: capacity), SLRUPolicy(capacity: capacity))
            try check(trace, S4LRUPolicy(capacity: capacity), S4LRUPolicy(capacity: capacity))
            try check(trace, LFUDAPolicy(capacity: capacity), LFUDAPolicy(capacity: capacity))
            try check(trace, GDSFPolicy(capacity: capacity), GDSFPolicy(capacity: capacity))
            try check(trace, LRUKPolicy(capacity: capacity), LRUKPolicy(capacity: capacity))
            try check(trace, MQPolicy(capacity: capacity), MQPolicy(capacity: capacity))
        }
    }

    private func check<Policy: TablePolicy & ~Copyable>(
        _ trace: SyntheticTrace, _ asked: consuming Policy, _ unasked: consuming Policy
    ) throws {
        for (index, object) in trace.objects.prefix(6000).enumerated() {
            let weight = UInt64(1 + object % 50)
            let announced = asked.upcomingVictim()
            var sink = RecordingSink()
            let isHit = asked.lookup(object)
            if !isHit { _ = asked.insert(object, weight: weight, &sink) }
            // A refused object is evicted at once.
            let first = sink.evictedObjects.first
            guard first == nil || first == object || first == announced else {
                throw PolicyInvariantViolation(
                    "\(Policy.self), \(trace): request \(index) evicts \(sink.evictedObjects), not \(announced ?? 0)")
            }
            guard unasked.request(object, weight: weight) == isHit else {
                throw PolicyInvariantViolation("\(Policy.self), \(trace): request \(index) is decided otherwise")
            }
        }
        guard asked.count > 0, asked.upcomingVictim() != nil else {
            throw PolicyInvariantViolation("\(Policy.self), \(trace): nothing is announced")
        }
    }

    // LHD learned an eviction each time that TinyLFU asked it.
    @Test(arguments: SyntheticTrace.allCases) func `asking a sampled policy teaches it nothing`(_ trace: SyntheticTrace)
    {
        var settings = PolicySettings()
        settings[LHDPolicy.intervalParameter] = 100
        var asked = LHDPolicy(capacity: .entries(40), settings: settings)
        var unasked = LHDPolicy(capacity: .entries(40), settings: settings)
        for (index, object) in trace.objects.prefix(6000).enumerated() {
            for _ in 0..<3 { _ = asked.upcomingVictim() }
            #expect(asked.request(object, weight: 1) == unasked.request(object, weight: 1), "request \(index)")
        }
        #expect(asked.victimDensity == unasked.victimDensity)
    }

    @Test(arguments: SyntheticTrace.allCases) func `for a new object the announced victim is evicted`(
        _ trace: SyntheticTrace
    ) throws {
        try checkNew(trace, LRUPolicy(capacity: .entries(80)))
        try checkNew(trace, CLOCKPolicy(capacity: .entries(80)))
        try checkNew(trace, SIEVEPolicy(capacity: .entries(80)))
        try checkNew(trace, LFUPolicy(capacity: .entries(80)))
        try checkNew(trace, TwoQueuePolicy(capacity: .entries(80)))
        try checkNew(trace, ARCPolicy(capacity: .entries(80)))
        try checkNew(trace, LIRSPolicy(capacity: .entries(80)))
        try checkNew(trace, CARPolicy(capacity: .entries(80)))
        try checkNew(trace, CLOCKProPolicy(capacity: .entries(80)))
        try checkNew(trace, S3FIFOPolicy(capacity: .entries(80)))
        try checkNew(trace, S4FIFOPolicy(capacity: .entries(80)))
        try checkNew(trace, Clock2QPlusPolicy(capacity: .entries(80)))
    }

    private func checkNew<Policy: CheckedPolicy & ~Copyable>(_ trace: SyntheticTrace, _ policy: consuming Policy) throws
    {
        for (index, object) in trace.objects.prefix(4000).enumerated() where !policy.lookup(object) {
            var sink = RecordingSink()
            // An object that is remembered may change the order before it evicts.
            let isNew = policy.table.entry(of: object) == 0
            let announced = isNew ? policy.upcomingVictim() : nil
            _ = policy.insert(object, weight: 1, &sink)
            guard !isNew || sink.evictedObjects.isEmpty || sink.evictedObjects == [announced] else {
                throw PolicyInvariantViolation("\(Policy.self), \(trace): request \(index) evicts another object")
            }
        }
        try policy.checkInvariants()
    }
}
