import CacheStrategies
import Locks
import Origins
import Testing
import TimedStrategies
import TrialLoop
import TrialModel
import TrialTestSupport

/// A cache whose operations sometimes fail.
@Suite(.timeLimit(.minutes(1)))
struct CacheFailureTests {
    /// The results of two phases, in the first of which one operation fails.
    private static func results() async throws -> [PhaseResult] {
        var two = TrialTests.scenario(keys: .integer)
        two.phases = ["first", "second"].map { name in
            Phase(name: name, length: .operations(40), clients: 2, mix: OperationMix([.load: 1]))
        }
        return try await TrialInTests.messages(of: Strategy(OnceFailingCache.self), two)
            .compactMap { message in
                guard case .phaseFinished(let result) = message else { return nil }
                return result
            }
    }

    @Test func `a phase in which an operation failed has crashed, and the next one has not`() async throws {
        let results = try await Self.results()
        #expect(results.map(\.trial.status) == [.crashed, .completed])
        #expect(results[0].trial.reason == "1 operations of the cache failed; the first: no answer")
    }
}

/// Its first lookup fails, as when no server answers.
private final class OnceFailingCache: OverwritingCache, @unchecked Sendable {
    // Sound although unchecked: as `OverwritingCache`; what it adds is behind a lock.
    private let wasAsked = Locked(false)

    override class var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "once-failing", summary: "its first lookup fails", bounds: [.entries, .cost])
    }

    override func value(forKey key: Int) -> Payload? {
        wasAsked.withLock { $0 = true }
        return super.value(forKey: key)
    }

    override func statistics() -> CacheStatistics {
        var statistics = super.statistics()
        let hasFailed = wasAsked.withLock { $0 }
        statistics.failures = hasFailed ? 1 : 0
        statistics.firstFailure = hasFailed ? "no answer" : nil
        return statistics
    }
}
