import Testing
import TrialModel

@testable import Reports

/// The best strategy, its lead, and how sure the lead is.
@Suite(.timeLimit(.minutes(1)))
struct RankingSentencesTests {
    private func lines(_ strategies: [PhaseResult]...) -> [String] {
        let rankings = ScenarioRanking.all(Array(strategies.joined()))
        return rankings.map(\.sentence) + (rankings.count > 1 ? [RankingSentences.whole(rankings)] : [])
    }

    private func strategy(_ name: String, _ origin: UInt64, _ p99: UInt64 = 20) -> [PhaseResult] {
        SureOrderTests.strategy(name, SureOrderTests.rising(origin, count: 8), [p99])
    }

    /// The same results under another scenario.
    private func moved(_ results: [PhaseResult], to scenario: ScenarioPoint) -> [PhaseResult] {
        results.map { result in
            var result = result
            result.trial.key.trial.scenario = scenario
            return result
        }
    }

    @Test func `the best says what decides, and who is next by how much`() {
        #expect(
            lines(strategy("lru", 300), strategy("actor", 720)) == [
                "steady: lru is best: origin requests per lookup 30.4%, p99 20.0 µs; next is actor, 42.0 p."
            ])
    }

    @Test func `strategies that are surely the same are named together, with the next`() {
        #expect(
            lines(strategy("lru", 300), strategy("disk", 302), strategy("actor", 720)) == [
                "steady: lru and disk are the same, and best: origin requests per lookup 30.4%, p99 20.0 µs; next is "
                    + "actor, 42.0 p."
            ])
    }

    @Test func `a lead that is not sure is called no more than that`() {
        #expect(
            lines(SureOrderTests.strategy("lru", [300]), SureOrderTests.strategy("actor", [720])) == [
                "steady: lru is ahead of actor, but not surely (it takes three repetitions): origin requests per lookup "
                    + "30.0%, p99 20.0 µs."
            ])
    }

    @Test func `of many strategies three are named`() {
        let results = ["a", "b", "c", "d", "e"].flatMap { strategy($0, 300) }
        #expect(lines(results)[0].hasPrefix("steady: a, b, c and 2 more are the same, and best"))
    }

    @Test func `a single strategy is not compared`() {
        #expect(lines(strategy("lru", 300))[0].hasPrefix("steady: only lru is ranked: origin requests"))
    }

    @Test func `a scenario in which all failed says so`() {
        #expect(
            lines([Samples.failure(Samples.key("steady", "lru"), .crashed, "signal 11")])
                == ["steady: no strategy is ranked."])
    }

    @Test func `several scenarios end with the strategy that is best most often, where it loses, and what is open`() {
        let both = strategy("lru", 300) + strategy("actor", 720)
        let turned = strategy("lru", 720) + strategy("actor", 300)
        let open = SureOrderTests.strategy("lru", [300]) + SureOrderTests.strategy("actor", [310])
        #expect(
            lines(both, moved(both, to: "b"), moved(open, to: "c"), moved(turned, to: "d")).last
                == "In 4 scenarios: lru is best, or the same as the best, in 2; it loses most in d (42.0 p). "
                + "Not decided: c.")
        #expect(
            lines(both, moved(turned, to: "b")).last
                == "In 2 scenarios: actor and lru are best, or the same as the best, in 1 each.")
        #expect(
            lines(open, moved(open, to: "b")).last
                == "In 2 scenarios no strategy is surely best. Not decided: steady, b.")
    }

    @Test func `the matrix shows how far each strategy is behind, and what is not sure`() {
        let results = strategy("lru", 300) + strategy("actor", 720) + strategy("none", 990)
        let open = SureOrderTests.strategy("lru", [310]) + SureOrderTests.strategy("actor", [300])
        let matrix = ScenarioMatrix(ScenarioRanking.all(results + moved(open, to: "cold-start")))
        #expect(matrix.strategies == ["lru", "actor", "none"])
        let table = matrix.tables[0]
        #expect(table.columns.map(\.header) == ["strategy", "stea", "cs"])
        #expect(
            table.rows.map { $0.map(\.text) } == [
                ["lru", "0.0p", "1.0p?"], ["actor", "42.0p", "0.0p"], ["none", "69.0p", ""],
            ])
        #expect(
            table.notes == ["stea: steady, origin requests per lookup", "cs: cold-start, origin requests per lookup"])
    }

    @Test func `short names of scenarios are different, and a matrix has at most 100 columns`() {
        let names = ["scan", "scandal", "scanner", "cold-start", "cache-size", "a", "ab"]
        let short = ScenarioMatrix.abbreviations(names)
        #expect(Set(short).count == names.count)
        let many = (0..<24).flatMap {
            moved(strategy("lru", 300) + strategy("actor", 720), to: ScenarioPoint(named: "scenario-\($0)"))
        }
        let tables = ScenarioMatrix(ScenarioRanking.all(many)).tables
        #expect(tables.count > 1)
        for table in tables {
            var grid = table
            (grid.caption, grid.notes) = (nil, [])
            #expect(grid.rendered(as: .table).split(separator: "\n").allSatisfy { $0.count <= 100 })
        }
    }
}
