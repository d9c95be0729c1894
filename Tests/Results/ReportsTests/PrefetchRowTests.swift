import Foundation
import Reports
import Testing
import TrialModel

/// Prefetches in a result folder, and in the tables that a run ends with.
@Suite(.timeLimit(.minutes(1)))
struct PrefetchRowTests {
    private func result(_ strategy: String = "lru", _ repetition: Int = 1, used: UInt64 = 60) -> PhaseResult {
        var result = Samples.phase(Samples.key("steady", strategy, repetition))
        result.prefetch = Samples.prefetch(result.trial.key, used: used)
        return result
    }

    @Test func `the share of useful prefetches is unknown where there were too many to record`() {
        #expect(result().prefetch?.usefulShare == 0.8)
        #expect(result().prefetch?.with { ($0.used, $0.wastedBytes) = (nil, nil) }.usefulShare == nil)
    }

    @Test func `a run ends with a table of medians, and none when prefetches were not observed`() throws {
        let results = [
            result("lru", 1, used: 20), result("lru", 2, used: 60), result("lru", 3, used: 160), result("disk", 1),
            result("disk", 2), result("disk", 3),
        ]
        let ranking = try #require(ScenarioRanking.all(results).first)
        let table = try #require(ranking.prefetchTable)
        #expect(table.rows.count == 2 && table.cell("disk", "own") != nil)
        func cell(_ name: String) -> String? { table.cell("lru", name)?.text }
        #expect(cell("useful_share") == "80.0%" && cell("late_requests") == "4")
        #expect(cell("wasted_bytes") == "2.00 KiB" && cell("visible_lost") == "2" && cell("own") == "plain")
        let plain = ["lru", "disk"].map { Samples.phase(Samples.key("steady", $0, 1)) }
        #expect(ScenarioRanking.all(plain).allSatisfy { $0.prefetchTable == nil })
    }

    @Test func `where keys are prefetched, the time that callers wait decides alone`() throws {
        let results = (1...7).flatMap { repetition in
            [("lru", 20_000 as UInt64), ("disk", 90_000)].map { strategy, p99 in
                var result = result(strategy, repetition)
                result.latency = [Samples.latency(result.trial.key, p99: p99)]
                // The slower one sends fewer requests.
                result.hitRate?.originLoads = strategy == "lru" ? 1_100 : 300
                return result
            }
        }
        let ranking = try #require(ScenarioRanking.all(results).first)
        #expect(ranking.places.map(\.verdict) == [.best, .worse])
        #expect(ranking.places.first?.summary.strategy == "lru")
        #expect(ranking.caption.hasPrefix("Ranked by p99; "))
    }
}
