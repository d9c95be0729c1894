import CacheStrategies
import CacheTestSupport
import Origins
import Testing
import TimedStrategies
import TrialModel

/// Strategies under test with their concrete types.
@Suite(.timeLimit(.minutes(2)))
struct StrategyTests {
    @Test func `a synchronous strategy runs in tasks when a phase says so`() async throws {
        var scenario = TrialTests.scenario(keys: .string)
        for index in scenario.phases.indices { scenario.phases[index].driver = .tasks }
        let results = try await TrialInTests.run("lru", scenario)
        #expect(results.count == scenario.phases.count)
        #expect(results.allSatisfy { $0.trial.driver == .tasks && $0.trial.status == .completed })
    }

    @Test func `a trial with keys of another kind says so`() async throws {
        let strategy = Strategy(LRUCache<Int, Payload>.self)
        #expect(strategy.takes(.integer) && !strategy.takes(.string) && !strategy.takes(.url))
        await #expect {
            _ = try await TrialInTests.messages(of: strategy, TrialTests.scenario(keys: .url))
        } throws: {
            "\($0)" == "lru has no type for url keys"
        }
    }
}
