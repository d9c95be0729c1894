import Foundation
import Reports
import Testing
import TrialModel

/// Prefetches in a result folder, and in the tables that a run ends with.
@Suite(.timeLimit(.minutes(1)))
struct PrefetchRowTests {
    private func result(_ strategy: String = "lru", _ repetition: Int = 1, used: UInt64 = 60) -> PhaseResult {
        var result = Samples.phase(Samples.key("steady", strategy, repetition))
        var row = PrefetchRow(key: result.trial.key)
        (row.isOwn, row.calls, row.keysNamed, row.requests) = (strategy == "disk", 20, 200, 110)
        (row.lowPriority, row.raised, row.cancelled, row.failed) = (109, 7, 10, 0)
        (row.visibleAgain, row.visibleLost) = (13, 2)
        var ends = PrefetchEnds()
        (ends.used, ends.joined, ends.overtaken, ends.evicted, ends.unused) = (used, 20, 5, 5, 10)
        (ends.wastedBytes, ends.inversions, ends.late) = (2_048, 3, 4)
        row.note(ends)
        result.prefetch = row
        return result
    }

    @Test func `rows are read back unchanged`() throws {
        let temporary = try TemporaryFolder()
        let path = temporary.path("results")
        var full = result("disk")
        // When there were too many to record.
        full.prefetch?.used = nil
        full.prefetch?.wastedBytes = nil
        let folder = try ResultFolder.create(at: path, files: ResultFile.ofRun + [ResultFile(PrefetchRow.self)])
        try folder.append([result(), full])
        let read = try ResultFolder.read(at: path)
        #expect(read.map(\.prefetch) == [result().prefetch, full.prefetch])
        #expect(read[1].prefetch?.usefulShare == nil && read[0].prefetch?.usefulShare == 0.8)
        #expect(
            try temporary.text("results/prefetch.csv").split(separator: "\r\n")[1]
                == "steady,lru,1,main,no,20,200,110,60,20,5,5,10,2048,109,7,3,10,4,0,13,2,,,,,,,,")
    }

    @Test func `a run ends with a table of medians, and none when prefetches were not observed`() throws {
        let results = [
            result("lru", 1, used: 20), result("lru", 2, used: 60), result("lru", 3, used: 160), result("disk"),
        ]
        let ranking = try #require(ScenarioRanking.all(results).first)
        let table = try #require(ranking.prefetchTable)
        #expect(table.rows.count == 2 && table.cell("disk", "own") != nil)
        func cell(_ name: String) -> String? { table.cell("lru", name)?.text }
        #expect(cell("useful_share") == "80.0%" && cell("inversions") == "3" && cell("late_requests") == "4")
        #expect(cell("wasted_bytes") == "2.00 KiB" && cell("visible_lost") == "2" && cell("own") == "plain")
        let plain = ["lru", "disk"].map { Samples.phase(Samples.key("steady", $0, 1)) }
        #expect(ScenarioRanking.all(plain).allSatisfy { $0.prefetchTable == nil })
    }

    @Test func `where keys are prefetched, the time that callers wait decides alone`() throws {
        let results = (1...5).flatMap { repetition in
            [("lru", 20_000 as UInt64), ("disk", 90_000)].map { strategy, p99 in
                var result = result(strategy, repetition)
                result.latency = [Samples.latency(result.trial.key, p99: p99)]
                // The slower one sends fewer requests.
                result.hitRate?.originLoads = strategy == "lru" ? 1_100 : 300
                return result
            }
        }
        let ranking = try #require(ScenarioRanking.all(results).first)
        #expect(ranking.places.map(\.rank) == ["1", "2"])
        #expect(ranking.places.first?.summary.strategy == "lru")
        #expect(ranking.caption.hasPrefix("Ranked by p99; "))
    }
}
