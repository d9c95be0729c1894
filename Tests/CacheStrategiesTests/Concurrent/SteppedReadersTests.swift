import CacheTestSupport
import Foundation
import Testing

/// Two readers and a writer in every order of their accesses to memory, but for orders that differ only in accesses to
/// different places.
@Suite(.timeLimit(.minutes(10)))
struct SteppedReadersTests {
    @Test func `in every order a reader finds what some order explains, and nothing is taken away under it`() {
        let outcomes = ReaderScripts<SoundMemory>().outcomes(seed: 1)
        for outcome in outcomes {
            print(outcome)
            #expect(outcome.fault == nil)
            #expect(outcome.isComplete && outcome.orderCount > 20)
        }
        #expect(outcomes.count == 6)
    }
}
