import Testing
import TrialModel

@testable import EvictionPolicies

/// The object that a policy announces as its next victim is the one that it evicts for a new object.
@Suite(.timeLimit(.minutes(1)))
struct UpcomingVictimTests {
    @Test(arguments: SyntheticTrace.allCases) func `the announced victim is evicted next`(
        _ trace: SyntheticTrace
    ) throws {
        try check(trace, LRUPolicy(capacity: .entries(80)))
        try check(trace, CLOCKPolicy(capacity: .entries(80)))
        try check(trace, SIEVEPolicy(capacity: .entries(80)))
        try check(trace, LFUPolicy(capacity: .entries(80)))
        try check(trace, TwoQueuePolicy(capacity: .entries(80)))
        try check(trace, ARCPolicy(capacity: .entries(80)))
        try check(trace, LIRSPolicy(capacity: .entries(80)))
        try check(trace, CARPolicy(capacity: .entries(80)))
        try check(trace, CLOCKProPolicy(capacity: .entries(80)))
        try check(trace, S3FIFOPolicy(capacity: .entries(80)))
        try check(trace, S4FIFOPolicy(capacity: .entries(80)))
        try check(trace, Clock2QPlusPolicy(capacity: .entries(80)))
    }

    private func check<Policy: TablePolicy & ~Copyable>(_ trace: SyntheticTrace, _ policy: consuming Policy) throws {
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
