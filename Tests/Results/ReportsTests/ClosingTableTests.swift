import Reports
import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1))) struct ClosingTableTests {
    private func repetitions(
        _ strategy: String, hits: UInt64 = 900, origin: UInt64? = 100, duplicates: UInt64? = 0, p99: [UInt64],
        driver: Driver = .threads, scatter: UInt64 = 0
    ) -> [PhaseResult] {
        p99.enumerated().map { index, tail in
            let key = Samples.key("steady", strategy, index + 1)
            let origin = origin.map { $0 + scatter * UInt64(index % 3) - scatter }
            var phase = Samples.phase(
                key, hits: hits, origin: origin, duplicates: duplicates, p99: tail, driver: driver)
            if hits > 0 {
                phase.latency.append(Samples.latency(key, p50: 700).with { $0.labels.outcome = .only(.hit) })
            }
            return phase
        }
    }

    /// Rank and strategy of each row.
    private func order(_ results: [PhaseResult]) -> [String] {
        ClosingTable.tables(results).flatMap { table in table.rows.map { "\($0[0].text) \($0[1].text)" } }
    }

    /// The text of one cell of `lru`.
    private func first(_ results: [PhaseResult], _ column: String) -> String? {
        ClosingTable.tables(results).first?.cell("lru", column)?.text
    }

    private var sample: [PhaseResult] {
        repetitions("lru", p99: [20_000, 21_000, 19_000])
            + repetitions(
                "actor", hits: 700, origin: 60, p99: [1_500_000, 1_400_000, 1_600_000], driver: .tasks, scatter: 1)
            + repetitions("none", hits: 0, origin: 1_000, duplicates: 250, p99: [5_000_000, 5_000_000, 5_100_000])
            + [
                Samples.phase(Samples.key("steady", "disk", 1)), Samples.phase(Samples.key("steady", "disk", 2)),
                Samples.failure(Samples.key("steady", "disk", 3), .crashed, "signal 11"),
            ]
    }

    @Test func `a run ends with a readable table`() {
        let text = ClosingTable.tables(sample).rendered(as: .table)
        #expect(
            text == """
                steady
                Ranked by origin requests per lookup, then p99; times of phase `main` (`load`); medians of 3 \
                repetitions.
                          strategy   hits  to origin  origin loads  duplicates  hit p50            p99   p99 min–max  \
                ops/s  driver   status
                ────────  ────────  ─────  ─────────  ────────────  ──────────  ───────  ─────────────  ────────────  \
                ─────  ───────  ───────────
                ●         actor     70.0%  6.0% ±0.4            60           0   700 ns  1.50 ms ±0.32  1.40–1.60 ms  \
                1.00k  tasks    completed
                          lru       90.0%      10.0%           100           0   700 ns   20.0 µs ±3.2  19.0–21.0 µs  \
                1.00k  threads  completed
                –         disk      90.0%      10.0%           100           0                 20.0 µs  20.0–20.0 µs  \
                1.00k  threads  crashed 1/3
                baseline  none       0.0%     100.0%         1.00k         250           5.00 ms ±0.18  5.00–5.10 ms  \
                1.00k  threads  completed
                ● best, = can't be told apart from the best, the rest is worse; ± 95 % interval of the median, none where all \
                repetitions agree
                disk crashed (repetition 3, phase main): signal 11

                """)
    }

    @Test func `a narrow terminal drops the optional columns, and a note says so`() {
        let text = ClosingTable.tables(sample).rendered(as: .table, width: 80)
        for line in text.split(separator: "\n") { #expect(DisplayWidth.of(String(line)) <= 80) }
        #expect(text.hasSuffix("no room in 80 columns for: origin loads, duplicates, p99 min–max, driver\n"))
    }

    @Test func `programs get the raw figures`() {
        let line = ClosingTable.tables(sample).rendered(as: .csv).split(separator: "\r\n")[2]
        #expect(
            line == ",lru,0.900000,0.100000,100,0,700,20000,19000-21000,1000.000,threads,,completed")
    }

    @Test func `promises are shown where strategies differ`() {
        let contracts = ["actor": "shares loads", "none": "shares loads"]
        let differing = ClosingTable.tables(sample, contracts: contracts).rendered(as: .table)
        #expect(differing.contains("tasks    shares loads  completed"), "\(differing)")
        let alike = repetitions("actor", p99: [1]) + repetitions("none", p99: [1])
        #expect(!ClosingTable.tables(alike, contracts: contracts).rendered(as: .table).contains("shares loads"))
    }

    @Test func `without an origin log, misses are used instead`() {
        let results =
            repetitions("lru", hits: 200, origin: nil, p99: Array(repeating: 1, count: 6))
            + repetitions("actor", hits: 900, p99: Array(repeating: 2, count: 6))
        #expect(order(results) == ["● actor", " lru"])
        #expect(ClosingTable.tables(results)[0].caption?.hasPrefix("Ranked by misses per lookup") == true)
    }

    @Test func `without lookups and loads, p99 of all operations decides`() {
        let results = (0..<14).map { ($0, $0.isMultiple(of: 2) ? "lru" : "actor") }.map { index, name in
            var phase = Samples.phase(Samples.key("steady", name, index / 2 + 1))
            phase.hitRate = nil
            phase.latency = [Samples.latency(phase.trial.key, operation: .all, p99: name == "lru" ? 100 : 80)]
            return phase
        }
        #expect(order(results) == ["● actor", "= lru"])
        #expect(
            ClosingTable.tables(results)[0].caption
                == "Ranked by p99; times of phase `main` (all operations); medians of 7 repetitions.")
    }

    @Test func `bounds and controls come last, without a rank`() {
        let results = repetitions("none", p99: [1]) + repetitions("lru", p99: [2]) + repetitions("stale", p99: [1])
        #expect(order(results) == ["● lru", "baseline none", "control stale"])
    }

    @Test func `a warm-up counts for nothing`() {
        var warmUp = Samples.phase(Samples.key("steady", "lru", 1, "fill"), hits: 0, origin: 1_000)
        warmUp.latency = []
        #expect(first([warmUp] + repetitions("lru", p99: [1]), "hit_ratio") == "90.0%")
    }

    @Test func `counts are sums over the phases`() {
        let results = ["a", "b"].map {
            Samples.phase(Samples.key("steady", "lru", 1, $0), origin: 100, duplicates: 7)
        }
        #expect(first(results, "origin_loads") == "200")
        #expect(first(results, "duplicate_loads") == "14")
    }

    @Test func `for an even number of repetitions the mean of the two middle ones is shown`() {
        let results = repetitions("lru", p99: [10_000, 40_000, 20_000, 30_000])
        #expect(first(results, "p99_ns") == "25.0 µs ±>100%")
        #expect(first(results, "p99_range_ns") == "10.0–40.0 µs")
        #expect(first(repetitions("lru", p99: [10_000]), "p99_range_ns") == "")
    }

    @Test func `a figure that one repetition lacks is not shown, because the others would pass for all`() {
        let results =
            repetitions("lru", p99: [1, 2]) + [Samples.phase(Samples.key("steady", "lru", 3), duplicates: nil)]
        #expect(first(results, "duplicate_loads") == "")
        #expect(first(results, "origin_loads") == "100")
    }

    @Test(arguments: [
        (TrialStatus.crashed, "crashed 1/2"), (.hung, "hung 1/2"), (.slow, "slow 1/2"), (.invalid, "invalid 1/2"),
    ])
    func `a strategy that failed once has no rank, and its reason is below`(status: TrialStatus, text: String) {
        let failure = Samples.failure(Samples.key("steady", "lru", 2), status, "the reason")
        let table = ClosingTable.tables(repetitions("lru", p99: [1]) + [failure])[0]
        #expect(table.rows[0][0].text == "–")
        #expect(table.rows[0].last?.text == text)
        #expect(table.notes == ["lru \(status.rawValue) (repetition 2, phase main): the reason"])
    }

    @Test func `a repetition with a failed phase gives no figures at all`() {
        let results = [
            Samples.phase(Samples.key("steady", "lru", 1, "a")),
            Samples.failure(Samples.key("steady", "lru", 1, "b"), .hung, "no answer"),
        ]
        #expect(first(results, "hit_ratio") == "")
        #expect(first(results, "p99_ns") == "")
    }

    @Test func `an interrupted run ranks the completed trials`() {
        let partial = Samples.failure(Samples.key("steady", "lru", 2), .partial, "interrupted")
        #expect(order(repetitions("lru", p99: [1]) + [partial]) == ["● lru"])
        #expect(order([partial]) == ["– lru"])
    }

    @Test func `wrong answers cost the rank`() {
        var phase = Samples.phase()
        phase.trial.wrongAnswers = 3
        phase.trial.reason = "key 7 was answered with the value of key 8"
        let table = ClosingTable.tables([phase])[0]
        #expect(table.rows[0][0].text == "–")
        #expect(table.rows[0].last?.text == "wrong answers")
        #expect(table.notes == ["lru 3 wrong answers; the first: key 7 was answered with the value of key 8"])
    }

    @Test func `a strategy that holds more than it may has figures and no rank`() {
        var results = repetitions("lru", p99: [1, 2]) + repetitions("fifo", p99: [3, 4])
        results[1].trial.note(excess: "412 entries are found after the trial; the limit is 100 entries")
        let table = ClosingTable.tables(results)[0]
        #expect(table.rows.map { $0[0].text } == ["●", "–"])
        #expect(table.rows[1].last?.text == "over the scenario's limits")
        let excess = "412 entries are found after the trial, the limit is 100 entries"
        #expect(table.notes.last == "lru over the scenario's limits in 1/2: \(excess)")
        let sentence = ScenarioRanking.all(results)[0].sentence
        #expect(sentence.hasPrefix("steady: only fifo is ranked"))
        #expect(sentence.hasSuffix(". lru: \(excess): not ranked."))
    }

    @Test func `each scenario has a table, in the order of the run`() {
        let results = ["steady", "scan", "steady"].map { Samples.phase(Samples.key($0)) }
        #expect(ClosingTable.tables(results).map(\.title) == ["steady", "scan"])
    }

    @Test func `a run without results has no tables`() {
        #expect(ClosingTable.tables([]).isEmpty)
    }

    @Test func `a caption has about 150 characters at most, and is wrapped in a narrow terminal`() throws {
        func phase(_ repetition: Int, _ name: String) -> PhaseResult {
            var phase = Samples.phase(Samples.key("steady", "lru", repetition, name))
            phase.latency = [Samples.latency(phase.trial.key, operation: .only(.burst))]
            return phase
        }
        let phases = (1..<100).map { phase(1, "phase-\($0)") }
        let repetitions = (1...1_000).map { phase($0, String(repeating: "long-", count: 20)) }
        let table = try #require(ClosingTable.tables(phases + repetitions).first)
        let caption = try #require(table.caption)
        #expect(
            caption == "Ranked by origin requests per lookup, then p99; times of phase `long-long-long-l…` (`burst`); "
                + "ratios: mean of 100 phases; medians of 1000 repetitions.")
        #expect(caption.count <= 150)
        #expect(table.rendered(as: .table).contains(caption + "\n"))
        let narrow = table.rendered(as: .table, width: 60).split(separator: "\n")
        let above = narrow.prefix { !$0.contains("strategy") }
        #expect(above.count == 4)
        #expect(above.allSatisfy { DisplayWidth.of(String($0)) <= 60 })
    }
}

extension ClosingTable {
    /// The tables of all scenarios.
    static func tables(
        _ results: [PhaseResult], _ rules: RankingRules = RankingRules(), contracts: [String: String] = [:]
    ) -> [Table] {
        ScenarioRanking.all(results, rules).flatMap { tables(of: $0, contracts: contracts) }
    }
}
