import CacheTrialsTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StrategyConformanceTests {
    @Test(arguments: AllStrategies.cases.flatMap(\.checks))
    func `a strategy keeps the contract and its own promises`(check: ContractCheck) async throws { try await check() }
}
