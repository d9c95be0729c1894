import Testing
import TrialModel

@testable import TrialSessions

@Suite(.timeLimit(.minutes(1))) struct RepetitionRuleTests {
    private func trial(_ repetition: Int, _ strategy: String = "lru", _ scenario: ScenarioPoint = "steady")
        -> TrialIdentity
    {
        TrialIdentity(scenario: scenario, strategy: strategy, repetition: repetition)
    }

    private func result(_ trial: TrialIdentity) -> PhaseResult {
        PhaseResult(trial: TrialRow(key: RowKey(trial: trial, phase: "main"), driver: .threads, status: .completed))
    }

    @Test func `a strategy is wanted in the first repetition, and then as long as it is open`() {
        var rule = RepetitionRule { $0.count < 3 ? ["lru"] : [] }
        var run: [String] = []
        for repetition in 1...5 {
            for strategy in ["lru", "actor"] where rule.wants(trial(repetition, strategy)) {
                run.append("\(strategy) \(repetition)")
                rule.note([result(trial(repetition, strategy))])
            }
        }
        #expect(run == ["lru 1", "actor 1", "lru 2"])
    }

    @Test func `a repetition that an earlier run began is finished with the same strategies`() {
        let earlier = [trial(1, "lru"), trial(1, "actor"), trial(2, "lru")].map(result)
        var rule = RepetitionRule(earlier: earlier) { $0.count < 3 ? ["lru", "actor"] : [] }
        let wanted = [rule.wants(trial(2, "actor")), rule.wants(trial(3, "actor"))]
        #expect(wanted == [true, false])
    }

    @Test func `each scenario has its own end`() {
        var rule = RepetitionRule { $0.isEmpty ? ["lru"] : [] }
        rule.note([result(trial(1))])
        let wanted = [rule.wants(trial(2)), rule.wants(trial(2, "lru", "scan"))]
        #expect(wanted == [false, true])
    }
}
