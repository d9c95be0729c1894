import Testing

@testable import Reports
@testable import TrialModel

/// The overview of several scenarios, and the sentences about them.
@Suite(.timeLimit(.minutes(1)))
struct RankingSentencesTests {
    private func strategy(_ name: String, _ origin: UInt64, _ scenario: ScenarioPoint = "steady") -> [PhaseResult] {
        RanksTests.strategy(name, RanksTests.around(origin, count: 8)).map { result in
            var result = result
            result.trial.key.trial.scenario = scenario
            return result
        }
    }

    private func rankings(_ strategies: [PhaseResult]..., questions: [ScenarioPoint: ScenarioQuestion] = [:])
        -> [ScenarioRanking]
    {
        var rules = RankingRules()
        rules.questions = questions
        return ScenarioRanking.all(Array(strategies.joined()), rules)
    }

    @Test func `the sentence says who is best, who is tied, who is next and who is last, with figures`() {
        let all = rankings(
            strategy("lru", 300), strategy("disk", 301), strategy("actor", 720), strategy("fifo", 800))
        #expect(
            all[0].sentence
                == "steady: lru has the lowest origin requests per lookup, 30.0% ±0.1; disk can't be told apart from it; next is "
                + "actor, 72.0% ±0.1; last is fifo, 80.0% ±0.1.")
    }

    @Test func `strategies with one value and different intervals are not both next and last`() {
        let all = rankings(
            strategy("lru", 300), RanksTests.strategy("actor", Array(repeating: 800, count: 8)), strategy("fifo", 800))
        #expect(
            all[0].sentence
                == "steady: lru has the lowest origin requests per lookup, 30.0% ±0.1; the others have 80.0%.")
    }

    @Test func `a scenario begins its sentence with what happens in it`() {
        let question = ScenarioQuestion(
            column: "moving keys", sentence: "The popular keys change",
            decidedBy: [DecidingFigure(metric: .hitRatio, phase: "main")])
        let all = rankings(strategy("lru", 300), strategy("actor", 720), questions: ["steady": question])
        #expect(
            all[0].sentence
                == "The popular keys change: lru has the highest hit ratio, 70.0% ±0.1; next is actor, 28.0% ±0.1.")
    }

    @Test func `of many strategies three are named`() {
        let results = ["a", "b", "c", "d", "e", "f"].flatMap { strategy($0, 300) }
        #expect(rankings(results)[0].sentence.hasPrefix("steady: a, b, c and 3 more have the lowest origin requests"))
    }

    @Test func `a single strategy is not compared`() {
        #expect(rankings(strategy("lru", 300))[0].sentence.hasPrefix("steady: only lru is ranked, origin requests"))
    }

    @Test func `a scenario in which all failed says so`() {
        #expect(
            rankings([Samples.failure(Samples.key("steady", "lru"), .crashed, "signal 11")])[0].sentence
                == "steady: no strategy is ranked.")
    }

    @Test func `what is best in one scenario has its price in another`() {
        let all = rankings(
            strategy("lru", 300), strategy("actor", 720), strategy("lru", 720, "b"), strategy("actor", 300, "b"),
            strategy("lru", 310, "c"), strategy("actor", 330, "c"))
        #expect(
            RankingSentences.all(all).suffix(2) == [
                "Weakest scenario of lru: b, origin requests per lookup 72.0% ±0.1; actor has 30.0% ±0.1.",
                "Weakest scenario of actor: steady, origin requests per lookup 72.0% ±0.1; lru has 30.0% ±0.1.",
            ])
        #expect(RankingSentences.all(rankings(strategy("lru", 300), strategy("actor", 720))).count == 1)
    }

    @Test func `all scenarios together say who leads in how many`() {
        let all = rankings(
            strategy("lru", 300), strategy("actor", 720), strategy("disk", 800), strategy("lru", 300, "b"),
            strategy("actor", 301, "b"), strategy("disk", 800, "b"), strategy("lru", 310, "c"),
            strategy("actor", 720, "c"),
            strategy("disk", 800, "c"))
        #expect(
            RankingSentences.all(all)[3]
                == "All 3 scenarios together: lru is best, or can't be told apart from the best, in 3; actor in 1; the others in "
                + "none.")
    }

    private static let hits = DecidingFigure(metric: .hitRatio, phase: "main")

    @Test func `the overview shows figures with intervals and signs, under the words of the scenarios`() {
        let all = rankings(
            strategy("lru", 300), strategy("actor", 720), strategy("none", 990), strategy("lru", 301, "b"),
            strategy("actor", 300, "b"),
            questions: ["b": ScenarioQuestion(column: "a scan passes", decidedBy: [Self.hits])])
        let overview = Overview(all)
        #expect(overview.strategies == ["lru", "actor", "none"])
        #expect(
            overview.tables(width: 120)[0].rendered(as: .table) == """
                                 steady        a scan
                                 origin        passes
                                 requests per  hit ratio ↑
                                 lookup ↓
                ───────────────  ────────────  ────────────
                lru              ● 30.0% ±0.1  = 69.9% ±0.1
                actor              72.0% ±0.1  ● 70.0% ±0.1
                none (baseline)    99.0% ±0.1
                ↑ more is better, ↓ less is better; ● best, = can't be told apart from the best, the rest is worse; ± 95 % \
                interval of the median, none where all repetitions agree; baselines and controls are shown, and not ranked

                """)
    }

    // A strategy that is not comparable had its distance as if it were.
    @Test func `a strategy that can't be compared says why in its cell`() {
        var rules = RankingRules()
        rules.questions["steady"] = ScenarioQuestion(decidedBy: [Self.hits], needs: [.lifetimes])
        rules.abilities = ["lru": []]
        let overview = Overview(ScenarioRanking.all(strategy("expiring", 500) + strategy("lru", 100), rules))
        #expect(overview.cell("lru", "steady")?.text == "keeps stale entries")
        #expect(overview.cell("lru", "steady")?.value == nil)
    }

    @Test func `a part of the overview has seven scenarios at most, and fits its width`() {
        let names = (0..<12).map { ScenarioPoint(named: "scenario-\($0)") }
        let all = ScenarioRanking.all(names.flatMap { strategy("lru", 300, $0) + strategy("actor", 720, $0) })
        let tables = Overview(all).tables(width: 120)
        #expect(tables.allSatisfy { $0.columns.count <= 8 })
        #expect(tables.map { $0.columns.count - 1 }.reduce(0, +) == 12)
        for table in tables {
            var grid = table
            grid.notes = []
            #expect(grid.rendered(as: .table).split(separator: "\n").allSatisfy { DisplayWidth.of(String($0)) <= 120 })
        }
    }

    // It mixed nanoseconds, bytes and ratios in one column, and several kinds of tables.
    @Test func `programs get one row a figure, with its unit and its interval`() {
        let all = rankings(
            strategy("lru", 300), strategy("actor", 720),
            questions: ["steady": ScenarioQuestion(decidedBy: [Self.hits])])
        let lines = FigureTable.table(all).rendered(as: .csv).split(separator: "\r\n")
        #expect(lines[0] == "scenario,phase,operation,strategy,metric,unit,value,low,high,repetitions,verdict")
        #expect(lines[1] == "steady,main,all,lru,hit_ratio,ratio,0.700000,0.699126,0.700874,8,best")
        #expect(lines[2].hasSuffix(",8,worse"))
        #expect(lines.contains { $0.hasPrefix("steady,main,load,lru,p99,ns,20000.000000,20000.000000,") })
        let keys = lines.map { $0.split(separator: ",").prefix(5) }
        #expect(Set(keys).count == keys.count)
    }
}
