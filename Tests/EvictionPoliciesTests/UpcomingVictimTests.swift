import Testing

@testable import EvictionPolicies

/// The victim that a policy announces is the one that it evicts, and announcing it changes no decision.
@Suite(.timeLimit(.minutes(2)))
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
            let weight = 1 + object % 50
            let announced = asked.upcomingVictim()
            var sink = RecordingSink()
            let isHit = asked.lookup(object)
            if !isHit { _ = asked.insert(object, weight: weight, &sink) }
            guard sink.evictedObjects.isEmpty || sink.evictedObjects[0] == announced else {
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
        asked.removeAll()
        #expect(asked.upcomingVictim() == nil)
    }
}
