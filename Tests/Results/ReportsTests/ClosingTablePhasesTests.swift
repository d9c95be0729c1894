import Reports
import Testing
import TrialModel

/// The phases that give a closing table its figures.
@Suite(.timeLimit(.minutes(1))) struct ClosingTablePhasesTests {
    /// A phase with this many lookups, all of them loads; hits and origin requests in per cent.
    private func phase(
        _ strategy: String, _ name: String, repetition: Int = 1, lookups: UInt64 = 1_000, hits: UInt64 = 90,
        origin: UInt64? = 10, p50: UInt64 = 1_000, p99: UInt64 = 20_000, elapsed: UInt64 = 1_000_000_000
    ) -> PhaseResult {
        var phase = Samples.phase(Samples.key("steady", strategy, repetition, name), elapsed: elapsed)
        phase.trial.operations = lookups
        phase.latency = [
            Samples.latency(phase.trial.key, p50: p50, p99: p99, count: lookups),
            Samples.latency(phase.trial.key, operation: .all, p50: 1, p99: 2, count: lookups),
        ]
        phase.hitRate?.lookups = lookups
        phase.hitRate?.hits = lookups * hits / 100
        phase.hitRate?.originLoads = origin.map { lookups * $0 / 100 }
        return phase
    }

    private func cell(_ results: [PhaseResult], _ strategy: String, _ column: String) -> String? {
        ClosingTable.tables(results).first?.cell(strategy, column)?.text
    }

    private func caption(_ results: [PhaseResult]) -> String { ClosingTable.tables(results).first?.caption ?? "" }

    /// Adds a row for bursts to a phase.
    private func adding(bursts: UInt64, p99: UInt64, to phase: PhaseResult) -> PhaseResult {
        var phase = phase
        phase.latency.append(Samples.latency(phase.trial.key, operation: .only(.burst), p99: p99, count: bursts))
        return phase
    }

    @Test func `each phase counts once in the ratios, however many operations a strategy completed in it`() {
        let results = [
            phase("slow", "counted", hits: 40, origin: 60), phase("slow", "busy", lookups: 1_000),
            phase("fast", "counted", hits: 40, origin: 60), phase("fast", "busy", lookups: 99_000),
        ]
        for strategy in ["slow", "fast"] {
            #expect(cell(results, strategy, "hit_ratio") == "65.0%")
            #expect(cell(results, strategy, "origin_loads_per_lookup") == "35.0%")
        }
    }

    @Test func `a phase without lookups has no ratio to count`() {
        let results = [phase("lru", "a", hits: 90), phase("lru", "b", lookups: 0)]
        #expect(cell(results, "lru", "hit_ratio") == "90.0%")
    }

    @Test func `a phase without an origin log leaves the other phases without a ratio`() {
        let results = [phase("lru", "a", origin: 10), phase("lru", "b", origin: nil)]
        #expect(cell(results, "lru", "origin_loads_per_lookup") == "")
        #expect(cell(results, "lru", "hit_ratio") == "90.0%")
    }

    @Test func `all times are from the one phase with the most loads, even when another one is slower`() {
        let results = [
            phase("lru", "counted", lookups: 400, p50: 7_000, p99: 90_000),
            phase("lru", "busy", lookups: 9_000, p50: 2_000, p99: 30_000, elapsed: 2_000_000_000),
            phase("actor", "counted", lookups: 400, p50: 7_000, p99: 10_000),
            phase("actor", "busy", lookups: 100, p50: 3_000, p99: 40_000, elapsed: 2_000_000_000),
        ]
        // No hit was timed: a median over hits and misses would mean nothing.
        #expect(cell(results, "lru", "hit_p50_ns") == "")
        #expect(cell(results, "lru", "p99_ns") == "30.0 µs")
        #expect(cell(results, "lru", "operations_per_second") == "4.50k")
        #expect(cell(results, "actor", "p99_ns") == "40.0 µs")
        #expect(cell(results, "actor", "operations_per_second") == "50.0")
        #expect(
            caption(results)
                == "Ranked by origin requests per lookup, then p99; times of phase `busy` (`load`); ratios: mean of 2 "
                + "phases.")
    }

    @Test func `the range of p99 is that of one phase in every repetition`() {
        let results = [(1, UInt64(30_000), UInt64(90_000)), (2, 40_000, 10_000)].flatMap { repetition, busy, counted in
            [
                phase("lru", "counted", repetition: repetition, lookups: 400, p99: counted),
                phase("lru", "busy", repetition: repetition, lookups: 500, p99: busy),
            ]
        }
        #expect(cell(results, "lru", "p99_range_ns") == "30.0–40.0 µs")
    }

    @Test func `of phases with equally many loads the first is timed`() {
        let results = [phase("lru", "z", p99: 1_000), phase("lru", "a", p99: 2_000)]
        #expect(cell(results, "lru", "p99_ns") == "1.00 µs")
    }

    @Test func `bursts are timed when they are more than the loads, over all phases`() {
        let results = [
            adding(bursts: 1_500, p99: 70_000, to: phase("lru", "cold", lookups: 1_000)),
            adding(bursts: 1_400, p99: 80_000, to: phase("lru", "scrolling", lookups: 1_600)),
        ]
        #expect(cell(results, "lru", "p99_ns") == "70.0 µs")
        #expect(caption(results).contains("times of phase `cold` (`burst`)"))
    }

    @Test func `loads are timed when bursts are as many or fewer`() {
        let results = [adding(bursts: 1_000, p99: 70_000, to: phase("lru", "main", lookups: 1_000))]
        #expect(cell(results, "lru", "p99_ns") == "20.0 µs")
        #expect(caption(results).contains("times of phase `main` (`load`)"))
    }

    @Test func `counts saturate at the largest integer`() {
        let results = [
            phase("lru", "a", p99: 1_000), adding(bursts: .max, p99: 70_000, to: phase("lru", "b")),
            adding(bursts: 1, p99: 80_000, to: phase("actor", "b")),
        ]
        #expect(cell(results, "lru", "p99_ns") == "70.0 µs")
    }

    @Test func `when nothing was measured the caption says so`() {
        let failure = Samples.failure(Samples.key("steady", "lru"), .crashed, "signal 11")
        #expect(caption([failure]) == "Not ranked: nothing was measured.")
    }

    @Test func `a phase without a network does not count in the ratios`() {
        func phase(_ strategy: String, _ name: String, failed: UInt64, origin: UInt64) -> PhaseResult {
            var result = Samples.phase(Samples.key("steady", strategy, 1, name), hits: 600, origin: origin)
            result.hitRate?.failedLoads = failed
            return result
        }
        let strategies = ["lru", "disk"]
        let online = strategies.map { phase($0, "main", failed: 0, origin: 400) }
        let offline = strategies.map { phase($0, "tunnel", failed: 400, origin: 900) }
        #expect(caption(online + offline).hasSuffix("ratios: mean of 1 phase of 2, those with a network."))
        #expect(ScenarioRanking.all(online + offline)[0].places.allSatisfy { $0.summary.originShare == 0.4 })
        // Without any answer of the origin there is nothing else to show.
        #expect(ScenarioRanking.all(offline)[0].places.allSatisfy { $0.summary.originShare == 0.9 })
        let failing = strategies.map { phase($0, "tunnel", failed: 399, origin: 900) }
        #expect(caption(online + failing).hasSuffix("ratios: mean of 2 phases."))
    }

    @Test func `a smoke run ranks nothing`() {
        let results = ["lru", "disk"].map { Samples.phase(Samples.key("steady", $0, 1)) }
        var rules = RankingRules()
        rules.isSmoke = true
        let table = ClosingTable.tables(results, rules)[0]
        #expect(table.rows.allSatisfy { $0[0].text.isEmpty })
        #expect(table.caption?.hasPrefix("Not ranked: a smoke run measures nothing; ") == true)
    }
}
