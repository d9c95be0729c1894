import Reports
import Testing
import TrialModel

@testable import ReportPage

/// Tiers of hits, stages of loads and memory pressure on the page.
@Suite(.timeLimit(.minutes(1)))
struct PartChartsTests {
    private static func result(_ strategy: String, tiers: [HitTier: UInt64] = [:], waits: UInt64 = 100) -> PhaseResult {
        var result = PageSamples.phase(strategy, scenario: "parts")
        let key = result.trial.key
        result.hitRates += HitTier.allCases.compactMap { tier in
            tiers[tier].map { hits in
                var row = HitRateRow(key: key, capacity: Capacity(), lookups: 1_000, hits: hits, misses: 1_000 - hits)
                row.tier = .only(tier)
                return row
            }
        }
        let times: [(Stage, UInt64)] = [(.beforeFetch, waits), (.fetch, 2_000), (.decode, 500), (.afterDecode, 400)]
        result.stages = times.map { stage, time in
            StageRow(key: key).with {
                ($0.operation, $0.outcome, $0.stage, $0.count) = (.load, .miss, stage, 10)
                ($0.totalNanoseconds, $0.latency) = (time * 10, LatencySummary())
            }
        }
        var pressure = PressureRow(key: key)
        pressure.level = .critical
        (pressure.responds, pressure.bytesBefore, pressure.bytesGivenBack) = (true, 2_048, 1_024)
        result.pressure = pressure
        return result
    }

    private static func page(_ results: [PhaseResult]) -> String { ReportPage(PageSamples.content(results)).html }

    @Test func `hits are a bar for each tier, and a strategy without tiers has one bar`() {
        let html = Self.page([Self.result("disk", tiers: [.memory: 500, .disk: 200]), Self.result("lru")])
        #expect(html.contains("Hits by tier, main"))
        #expect(html.contains("<title>disk: memory 50 %, disk 20 %, not reported 0 %</title>"))
        #expect(html.contains("<title>lru: memory 0 %, disk 0 %, not reported 70 %</title>"))
    }

    @Test func `a load is a bar of its stages`() throws {
        let ranking = try #require(ScenarioRanking.all([Self.result("lru"), Self.result("disk", waits: 900)]).first)
        let chart = try #require(PartCharts(ranking: ranking, palette: Palette([], marks: [:])).stages(in: "main"))
        let values = Dictionary(chart.rows.map { ($0.strategy, $0.values) }) { first, _ in first }
        #expect(values == ["lru": [100, 2_000, 500, 400], "disk": [900, 2_000, 500, 400]])
    }

    @Test func `memory pressure has a table`() {
        let html = Self.page([Self.result("lru")])
        #expect(html.contains("Memory pressure</h3>") && html.contains(">critical<") && html.contains("50.0%"))
    }
}
