import Reports
import Testing
import TrialModel

/// The best strategy, its lead, and how sure the lead is.
@Suite(.timeLimit(.minutes(1)))
struct RankingSentencesTests {
    private func lines(_ strategies: [PhaseResult]...) -> [String] {
        RankingSentences.lines(ScenarioRanking.all(Array(strategies.joined())))
    }

    private func strategy(_ name: String, _ origin: [UInt64], _ p99: [UInt64] = [20]) -> [PhaseResult] {
        SureOrderTests.strategy(name, origin, p99)
    }

    /// The same results under another scenario.
    private func moved(_ results: [PhaseResult], to scenario: ScenarioPoint) -> [PhaseResult] {
        results.map { result in
            var result = result
            result.trial.key.trial.scenario = scenario
            return result
        }
    }

    @Test func `the best by the share says by how many points`() {
        #expect(
            lines(strategy("lru", [300, 301, 302]), strategy("actor", [720, 721, 722])) == [
                "steady: lru is surely best, in every one of 3 repetitions: 30.1% to the origin, 42.0 points less than "
                    + "actor."
            ])
    }

    @Test func `the best by p99 says both percentiles`() {
        #expect(
            lines(strategy("lru", [300, 300, 300], [20]), strategy("disk", [300, 300, 300], [30])) == [
                "steady: lru is surely best, in every one of 3 repetitions: p99 20.0 µs, 30.0 µs for disk; as much to "
                    + "the origin, 30.0%."
            ])
    }

    @Test func `strategies that share the first rank are named together, with the next`() {
        #expect(
            lines(
                strategy("lru", [300, 301, 302], [20]), strategy("disk", [306, 306, 306], [21]),
                strategy("actor", [720, 721, 722])) == [
                    "steady: lru and disk share rank 1, since 3 repetitions do not tell them apart: 30.1%–30.6% to the "
                        + "origin, p99 20.0–21.0 µs; next is actor with 72.1% to the origin, p99 20.0 µs."
                ])
    }

    @Test func `the result of one repetition is called no more than that`() {
        #expect(
            lines(strategy("lru", [300]), strategy("actor", [720])) == [
                "steady: lru is ahead: 30.0% to the origin, 42.0 points less than actor; one repetition can't say how sure that is."
            ])
        #expect(
            lines(strategy("lru", [300]), strategy("actor", [310])) == [
                "steady: lru and actor share rank 1, since one repetition does not tell them apart: 30.0%–31.0% to the "
                    + "origin, p99 20.0 µs."
            ])
    }

    @Test func `of many strategies that share the first rank three are named`() {
        let results = ["a", "b", "c", "d", "e"].flatMap { strategy($0, [300]) }
        #expect(lines(results)[0].hasPrefix("steady: a, b, c and 2 more share rank 1, since"))
    }

    @Test func `misses are used when the origin kept no log`() {
        let results = ["lru", "actor"].flatMap { name in
            (1...3).map { repetition in
                Samples.phase(
                    Samples.key("steady", name, repetition), hits: name == "lru" ? 900 : 500, origin: nil)
            }
        }
        #expect(lines(results)[0].hasSuffix(": 10.0% misses, 40.0 points less than actor."))
    }

    @Test func `a single strategy is not compared`() {
        #expect(
            lines(strategy("lru", [300])) == ["steady: only lru is ranked, with 30.0% to the origin, p99 20.0 µs."])
    }

    @Test func `a scenario in which all failed says so`() {
        #expect(
            lines([Samples.failure(Samples.key("steady", "lru"), .crashed, "signal 11")])
                == ["steady: no strategy is ranked."])
    }

    @Test func `several scenarios end with the strategy that is best most often`() {
        let both = strategy("lru", [300]) + strategy("actor", [720])
        let turned = strategy("lru", [720]) + strategy("actor", [300])
        let tie = strategy("lru", [300]) + strategy("actor", [300])
        #expect(
            lines(both, moved(both, to: "b"), moved(tie, to: "c"), moved(turned, to: "d")).last
                == "In all 4 scenarios: lru has rank 1 most often, in 3 (alone in 2); next is actor, in 2 (alone in 1)."
        )
        #expect(
            lines(both, moved(turned, to: "b")).last
                == "In all 2 scenarios: actor and lru have rank 1 most often, in 1 each (alone in 1).")
        #expect(
            lines(tie, moved(tie, to: "b")).last
                == "In all 2 scenarios: actor and lru have rank 1 most often, in 2 each (alone in 0).")
    }
}
