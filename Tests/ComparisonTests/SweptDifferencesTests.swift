import Comparison
import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct SweptDifferencesTests {
    private func row(_ clients: Double?, _ verdict: ComparisonVerdict, strategy: String = "lru") -> ComparisonRow {
        ComparisonRow(
            scenario: ScenarioPoint(named: "scaling", clients.map { [.clients: $0] } ?? [:]), strategy: strategy,
            phase: "main", metric: "throughput", verdict: verdict)
    }

    @Test func `a curve says at which points it is worse and better, in the order of their numbers`() {
        let rows = [row(8, .worse), row(1, .better), row(16, .worse), row(2, .same), row(4, .inconclusive)]
        #expect(
            SweptDifferences.lines(rows) == [
                "scaling, lru, throughput of main: worse at clients=8, clients=16; better at clients=1; "
                    + "same at 1 of 5 points; inconclusive at 1 of 5 points."
            ])
    }

    @Test func `each strategy has a separate curve`() {
        let rows = [
            row(1, .worse), row(1, .same, strategy: "sieve"), row(2, .same), row(2, .better, strategy: "sieve"),
        ]
        #expect(SweptDifferences.lines(rows).map { String($0.prefix(14)) } == ["scaling, lru, ", "scaling, sieve"])
    }

    @Test func `a sweep without a difference says that there is none`() {
        #expect(
            SweptDifferences.lines([row(1, .same), row(2, .inconclusive)])
                == ["scaling: no curve is surely better or worse at any point."])
    }

    @Test func `without a sweep there is no output`() {
        #expect(SweptDifferences.lines([row(nil, .worse)]).isEmpty)
    }
}
