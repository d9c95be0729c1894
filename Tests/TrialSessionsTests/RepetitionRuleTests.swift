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

    @Test func `trials are wanted until the results so far are enough`() {
        var rule = RepetitionRule { results, repetitions in results.count >= 2 && repetitions >= 2 }
        var run = 0
        for repetition in 1...5 where rule.wants(trial(repetition)) {
            run += 1
            rule.note([result(trial(repetition))])
        }
        #expect(run == 2)
    }

    @Test func `a repetition is run for every strategy or for none`() {
        var rule = RepetitionRule { results, _ in results.count >= 1 }
        var wanted = [rule.wants(trial(1, "lru"))]
        rule.note([result(trial(1, "lru"))])
        wanted += [rule.wants(trial(1, "actor")), rule.wants(trial(2, "lru")), rule.wants(trial(2, "actor"))]
        #expect(wanted == [true, true, false, false])
    }

    @Test func `a repetition that an earlier run began is finished`() {
        var rule = RepetitionRule(earlier: [result(trial(3, "lru"))]) { _, _ in true }
        let wanted = [rule.wants(trial(3, "actor")), rule.wants(trial(4, "actor"))]
        #expect(wanted == [true, false])
    }

    @Test func `each scenario has its own end`() {
        var rule = RepetitionRule { results, _ in !results.isEmpty }
        rule.note([result(trial(1))])
        let wanted = [rule.wants(trial(2)), rule.wants(trial(2, "lru", "scan"))]
        #expect(wanted == [false, true])
    }
}
