import Testing

@testable import Reports
@testable import TrialModel

/// Which strategies are surely worse than the best, and which are not told apart from it.
@Suite(.timeLimit(.minutes(1)))
struct SureOrderTests {
    /// A strategy's repetitions: requests to the origin for 1,000 lookups, and p99 in microseconds.
    static func strategy(_ name: String, _ origin: [UInt64], _ p99: [UInt64] = [20]) -> [PhaseResult] {
        origin.enumerated().map { index, origin in
            Samples.phase(
                Samples.key("steady", name, index + 1), hits: 1_000 - origin, origin: origin,
                p99: p99[index % p99.count] * 1_000)
        }
    }

    /// A figure that rises by one with each repetition.
    static func rising(_ first: UInt64, count: Int) -> [UInt64] { (0..<count).map { first + UInt64($0) } }

    /// Rank, verdict and strategy of each row.
    private func order(_ strategies: [PhaseResult]..., rules: RankingRules = RankingRules()) -> [String] {
        ScenarioRanking.all(Array(strategies.joined()), rules).flatMap { ranking in
            ranking.places.map { "\($0.rank) \($0.verdict?.rawValue ?? "none") \($0.summary.strategy)" }
        }
    }

    @Test func `six pairs decide between two strategies by two figures, and five don't`() {
        for (count, expected) in [(6, ["1 best a", "2 worse b"]), (5, ["1 best a", "1 open b"])] {
            let figures = (Self.rising(300, count: count), Self.rising(320, count: count))
            #expect(order(Self.strategy("a", figures.0), Self.strategy("b", figures.1)) == expected)
        }
    }

    @Test func `the error is divided between the comparisons of a table`() {
        // Ten comparisons by two figures need nine pairs: one half to the power of eight is more than a twentieth of 5 %.
        for (count, rank) in [(9, "2 worse b"), (8, "1 open b")] {
            let others = (0..<9).flatMap { Self.strategy("like-a-\($0)", Self.rising(300, count: count)) }
            let places = order(
                Self.strategy("a", Self.rising(300, count: count)), Self.strategy("b", Self.rising(400, count: count)),
                others)
            #expect(places.last == rank)
        }
    }

    @Test func `a difference below the smallest one worth reporting is the same`() {
        let (own, other) = (Self.rising(300, count: 6), Self.rising(303, count: 6))
        #expect(order(Self.strategy("a", own), Self.strategy("b", other, [19])) == ["1 best b", "1 same a"])
    }

    @Test func `equal counts are the same after one repetition, and p99 then decides nothing yet`() {
        #expect(order(Self.strategy("a", [300]), Self.strategy("b", [300], [90])) == ["1 best a", "1 open b"])
    }

    @Test func `p99 decides between strategies with the same requests`() {
        let equal = Array(repeating: UInt64(300), count: 6)
        #expect(
            order(Self.strategy("a", equal, [20, 21, 22]), Self.strategy("b", equal, [25, 26, 27]))
                == ["1 best a", "2 worse b"])
        #expect(order(Self.strategy("a", equal, [100]), Self.strategy("b", equal, [104])) == ["1 best a", "1 same b"])
    }

    @Test func `slices of one repetition are pairs`() {
        func sliced(_ name: String, _ rate: Double) -> [PhaseResult] {
            var phase = Samples.phase(Samples.key("steady", name))
            phase.slices = (1...40).map { number in
                SliceRow(key: phase.trial.key).with {
                    ($0.slice, $0.throughputPerSecond) = (UInt64(number), rate + Double(number % 7))
                }
            }
            phase.latency[1].throughputPerSecond = rate
            return [phase]
        }
        var rules = RankingRules()
        rules.questions["steady"] = ScenarioQuestion(
            decidedBy: [DecidingFigure(metric: .throughput, phase: "main")])
        #expect(order(sliced("a", 2_000), sliced("b", 1_500), rules: rules) == ["1 best a", "2 worse b"])
        #expect(order(sliced("a", 2_000), sliced("b", 1_990), rules: rules) == ["1 best a", "1 same b"])
    }

    @Test func `what decides is read from its phase, against another one`() {
        func phases(_ name: String, before: UInt64, after: UInt64) -> [PhaseResult] {
            (1...6).flatMap { repetition in
                [("before", before), ("after", after)].map { phase, hits in
                    Samples.phase(Samples.key("steady", name, repetition, phase), hits: hits + UInt64(repetition))
                }
            }
        }
        var rules = RankingRules()
        rules.questions["steady"] = ScenarioQuestion(
            text: "What does it cost?",
            decidedBy: [DecidingFigure(metric: .hitRatio, phase: "after", against: "before")])
        let results = phases("a", before: 900, after: 600) + phases("b", before: 500, after: 480)
        #expect(order(results, rules: rules) == ["1 best b", "2 worse a"])
        let ranking = ScenarioRanking.all(results, rules)[0]
        #expect(ranking.title == "steady: What does it cost?")
        #expect(ranking.decidingCells(ranking.places[1]).map(\.text) == ["−30.0%", "28.0 p", "worse"])
        #expect(ranking.sentence == "steady: b is best: hit ratio, after against before −2.0%; next is a, 28.0 p.")
    }

    @Test func `a strategy that lacks what the question needs is not ranked, with the reason`() {
        var rules = RankingRules()
        rules.questions["steady"] = ScenarioQuestion(
            decidedBy: [DecidingFigure(metric: .hitRatio, phase: "main")], needs: [.lifetimes])
        rules.abilities = ["lru": [.files], "expiring": [.lifetimes]]
        let results = Self.strategy("expiring", [500]) + Self.strategy("lru", [100])
        #expect(order(results, rules: rules) == ["1 best expiring", "– none lru"])
        #expect(
            ScenarioRanking.all(results, rules)[0].notes
                == ["Not ranked, because entries don't expire, so that what is stale is served: lru."])
    }

    @Test func `of equal strategies the best one is called worse in at most one table of twenty`() {
        let seed: UInt64 = 11
        var random = RandomSource(seed: seed)
        let tables = 600
        var wrong = 0
        for _ in 0..<tables {
            // All have the same requests, with noise of ten times the smallest difference worth reporting.
            let results = ["a", "b", "c", "d", "e"].flatMap { name in
                Self.strategy(name, (0..<8).map { _ in 300 + random.next(below: 50) })
            }
            guard let ranking = ScenarioRanking.all(results).first else { continue }
            if ranking.places.contains(where: { $0.verdict == .worse }) { wrong += 1 }
        }
        // The upper limit of 99.9 % for 5 % of 600 tables.
        #expect(wrong <= 47, "\(wrong) of \(tables) tables, seed \(seed)")
    }
}
