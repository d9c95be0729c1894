import Testing

@testable import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct OriginFaultTests {
    @Test func `the decision depends on seed, key and attempt alone`() {
        let faults = [OriginFault(.garbage, probability: 0.5), OriginFault(.notFound, probability: 0.2)]
        for key in 0..<50 as Range<UInt64> {
            for attempt in 1...20 as ClosedRange<UInt64> {
                let first = faults.fault(seed: 7, key: key, attempt: attempt)
                #expect(first == faults.fault(seed: 7, key: key, attempt: attempt))
            }
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `each fault gets its share of the requests`(seed: UInt64) {
        let faults = [OriginFault(.garbage, probability: 0.1), OriginFault(.notFound, probability: 0.3)]
        var counts: [OriginFaultKind: Int] = [:]
        for key in 0..<1_000 as Range<UInt64> {
            for attempt in 1...20 as ClosedRange<UInt64> {
                if let fault = faults.fault(seed: seed, key: key, attempt: attempt) {
                    counts[fault.kind, default: 0] += 1
                }
            }
        }
        // Six standard deviations of a binomial distribution of 20,000.
        #expect((1_740...2_260).contains(counts[.garbage, default: 0]), "seed \(seed)")
        #expect((5_600...6_400).contains(counts[.notFound, default: 0]), "seed \(seed)")
    }

    @Test func `a script applies to the attempts that it names`() {
        let faults = [OriginFault(kind: .unavailable, attempts: FaultyAttempts(first: 2, count: 2, every: 5))]
        let faulty = (1...13 as ClosedRange<UInt64>).filter { faults.fault(seed: 1, key: 9, attempt: $0) != nil }
        #expect(faulty == [2, 3, 7, 8, 12, 13])
    }

    @Test func `a range applies only to its keys`() {
        let faults = [OriginFault(kind: .unavailable, keys: 10..<13)]
        let faulty = (0..<20 as Range<UInt64>).filter { faults.fault(seed: 1, key: $0, attempt: 1) != nil }
        #expect(faulty == [10, 11, 12])
    }

    @Test func `a smoke test's faults are short`() {
        #expect(OriginFault(kind: .slowAnswer, time: 50_000_000).extraNanoseconds == 50_000_000)
        #expect(OriginFault(.slowAnswer).extraNanoseconds == OriginFault.timeDefault)
        #expect(OriginFault(kind: .garbage, time: 50_000_000).extraNanoseconds == 0)
    }
}
