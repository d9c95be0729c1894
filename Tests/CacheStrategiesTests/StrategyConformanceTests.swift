import Conformance
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StrategyConformanceTests {
    @Test(arguments: AllStrategies.cases, ConformanceCheck.allCases)
    func `a strategy keeps the contract and its own promises`(strategy: StrategyCase, check: ConformanceCheck) async {
        for failure in await strategy.failures(check) { Issue.record("\(failure)") }
    }
}
