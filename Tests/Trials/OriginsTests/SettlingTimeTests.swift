import Testing
import TrialModel

@testable import Origins

/// How long a phase waits for requests whose callers have given up.
@Suite(.timeLimit(.minutes(1)))
struct SettlingTimeTests {
    private static func origin(timeout: UInt64?) -> OriginSpecification {
        OriginSpecification(kind: .memory, delay: .fixed(5_000_000)).with {
            ($0.faults, $0.timeout) = ([OriginFault(.noAnswer)], timeout)
        }
    }

    @Test(arguments: [1_000_000, 20_000_000_000, nil] as [UInt64?])
    func `a phase outlasts a request that is never answered`(timeout: UInt64?) {
        let origin = Self.origin(timeout: timeout)
        let registration = TrialRegistration(
            seed: 1, values: ValueSpecification(kind: .bytes, size: .fixed(64)), origin: origin)
        let answer = InProcessAnswer(
            registration, key: 1, attempt: 1, phase: 0, start: 1_000, delays: DistributionSampler(origin.delay))
        #expect(answer.ending == .abandoned)
        #expect(.nanoseconds(answer.due - 1_000) < origin.settlingTime)
    }

    @Test func `a phase waits for the slowest answer, and at least five seconds`() {
        let origin = OriginSpecification(kind: .memory, delay: .fixed(5_000_000))
        #expect(origin.settlingTime == .seconds(5))
        #expect(origin.with { $0.delay = .fixed(9_000_000_000) }.settlingTime == .seconds(10))
    }
}
