import BuiltInStrategies
import Foundation
import Reports
import Testing
import TimedStrategies
import TrialModel
import TrialSessions

@testable import CacheTrials

/// The orders of `explore` and `check`, each of which one machine tries.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct OrderShardTests {
    @Test(arguments: [(1, 1), (7, 7), (10, 3), (10_000, 7), (10_000_000, 10_000)])
    func `every order is in one shard, in sequence, and no shard has two more than another`(orders: Int, shards: Int)
        throws
    {
        let ranges = try (1...shards).map { try #require(Shard(number: $0, count: shards)).range(of: orders) }
        #expect(ranges.first?.lowerBound == 0 && ranges.last?.upperBound == orders)
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        let counts = ranges.map(\.count)
        #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 1)
    }

    // MARK: check

    /// The shares of all machines in the orders of a check of scenarios with these strategies.
    private func shares(
        _ strategies: [[String]], repetitions: Int = 1, machines: Int, orders: Int
    ) throws -> [[String: OrderTrials.Share]] {
        let files = strategies.enumerated().map { index, names in
            var scenario = ScriptedRun.scenario("s\(index)")
            (scenario.strategies, scenario.seed) = (names, UInt64(index + 1))
            return ScenarioArguments.File(path: "s\(index).yaml", scenario: scenario, sha256: "\(index)")
        }
        return try (1...machines).map { number in
            var request = RunRequest(files: files, chosen: nil, check: true, orders: orders, repetitions: repetitions)
            request.shard = Shard(number: number, count: machines)
            return try request.orderShares(of: request.plan())
        }
    }

    @Test(arguments: [1, 2, 3, 6]) func `the machines of a check try every order of every strategy once`(
        machines: Int
    ) throws {
        let shares = try shares(
            [["lru", "none"], ["fifo", "lru"], ["lru"]], repetitions: 2, machines: machines, orders: 1001)
        for strategy in ["lru", "none", "fifo"] {
            let own = shares.compactMap { $0[strategy] }
            #expect(own.flatMap(\.range).sorted() == Array(0..<1001), "\(strategy)")
            // As in a run of everything: that under which the strategy comes first.
            #expect(Set(own.map(\.scenario.seed)) == [strategy == "fifo" ? 2 : 1])
        }
    }

    @Test func `one machine tries all orders`() throws {
        let request = RunRequest(files: [], chosen: nil, check: true, orders: 10)
        #expect(try request.orderShares(of: RunPlan([])).isEmpty)
    }

    @Test func `a check in shards says how many orders it tried`() async throws {
        let sweep = try ShardedSweep()
        var orders: [Substring] = []
        for number in 1...2 {
            let ending = try await sweep.expect(
                0, sweep.shard(number, of: 2, verb: "check", "--smoke", "--orders", "41", "--strategies", "lru"))
            orders += ending.errors.split(separator: "\n").filter { $0.hasPrefix("Interleavings: ") }
        }
        #expect(
            orders.map { $0.prefix(30) } == ["Interleavings: 20 each of lru", "Interleavings: 21 each of lru"],
            "\(orders)")
    }

    // MARK: explore

    @Test func `explorations of ranges merge to that of all orders`() async throws {
        let sweep = try ShardedSweep()
        let file = try sweep.folder.write(SmallScenario.explored(clients: 1, operations: 2000), to: "small.yaml")
        let command = ["explore", file, "--quiet", "--orders", "301", "--strategies", "published-actor,actor"]
        try await sweep.expect(0, command + ["--output", sweep.path("whole")])
        for number in 1...3 {
            let output = sweep.path("r/\(number)")
            try await sweep.expect(0, command + ["--shard", "\(number)/3", "--output", output])
            let rows = try ResultFolder.rows(of: ExplorationRow.self, at: output)
            #expect(rows.first?.schedules == [100, 100, 101][number - 1])
        }
        let merged = try await sweep.merge()
        let rows = try [merged, sweep.path("whole")].map { try ResultFolder.rows(of: ExplorationRow.self, at: $0) }
        #expect(rows[0].count == rows[1].count)
        for (part, whole) in zip(rows[0], rows[1]) {
            #expect((part.strategy, part.promise) == (whole.strategy, whole.promise))
            #expect(part.schedules == 301 && part.verdict == whole.verdict && part.firstSeed == whole.firstSeed)
            #expect(part.replayCommand == whole.replayCommand)
            #expect(part.violations >= whole.violations && part.distinctTraces >= whole.distinctTraces)
        }
        let broken = try #require(rows[0].first { $0.verdict == .inconsistent })
        #expect(broken.scriptFile.hasPrefix("scripts/"))
        #expect(FileManager.default.fileExists(atPath: "\(merged)/\(broken.scriptFile)"))
        let run = try ResultFolder.readRun(at: merged)
        #expect(!run.partial && run.merged?.parts.map(\.shard) == [1, 2, 3])

        // Other orders are another plan, and one that was interrupted is not whole.
        try FileManager.default.removeItem(atPath: sweep.path("r/3"))
        try await sweep.expect(0, command + ["--seed", "9", "--shard", "3/3", "--output", sweep.path("r/3")])
        let words = ["merge"] + (1...3).map { sweep.path("r/\($0)") } + ["--output", sweep.path("m")]
        let other = try await sweep.expect(65, words)
        #expect(other.errors.contains("can't be merged: plan: "), "\(other.errors)")
        try FileManager.default.removeItem(atPath: sweep.path("r/3"))
        try await sweep.expect(0, command + ["--shard", "3/3", "--output", sweep.path("r/3")])
        var cut = try ResultFolder.readRun(at: sweep.path("r/3"))
        cut.partial = true
        try ResultFolder.create(at: sweep.path("x"), files: []).writeRun(cut)
        try FileManager.default.removeItem(atPath: sweep.path("r/3/run.json"))
        try FileManager.default.copyItem(atPath: sweep.path("x/run.json"), toPath: sweep.path("r/3/run.json"))
        let partial = try await sweep.expect(65, words)
        #expect(partial.errors.contains("the exploration of shard 3/3 was interrupted"), "\(partial.errors)")
    }

    @Test func `more machines than orders are refused, and so is a shard without a folder`() async throws {
        let sweep = try ShardedSweep()
        let command = ["explore"] + sweep.scenarios + ["--orders", "3", "--shard", "1/4"]
        let many = try await sweep.expect(64, command + ["--output", sweep.path("r")])
        #expect(many.errors.contains("'--shard 1/4': at most 3 machines can share '--orders 3'"), "\(many.errors)")
        try await sweep.expect(64, command + ["--orders", "10"])
    }

    private static func row(
        _ verdict: ExplorationVerdict, _ promise: Promise = .singleFlight, schedules: UInt64 = 10, seed: UInt64? = nil
    ) -> ExplorationRow {
        ExplorationRow().with {
            ($0.scenario, $0.strategy, $0.promise, $0.verdict) = ("scan", "lru", promise, verdict)
            ($0.schedules, $0.distinctTraces, $0.operationsChecked) = (schedules, 2, 5)
            $0.violations = seed == nil ? 0 : 1
            ($0.firstSeed, $0.traceDigest) = (seed, "0123456789abcdef")
        }
    }

    @Test(
        arguments: [
            ([.consistent, .consistent], .consistent), ([.unknown, .consistent], .consistent),
            ([.unknown, .unknown], .unknown), ([.consistent, .failed], .failed),
            ([.failed, .inconsistent], .inconsistent), ([.inconsistent, .hung], .hung), ([.hung, .crashed], .crashed),
        ] as [([ExplorationVerdict], ExplorationVerdict)])
    func `the gravest verdict is that of all`(verdicts: [ExplorationVerdict], expected: ExplorationVerdict) {
        #expect(ExplorationRow.merged(verdicts.map { [Self.row($0)] }).map(\.verdict) == [expected])
    }

    @Test func `orders that can't all be chosen on one machine leave the promise open`() {
        var unseen = Self.row(.unknown)
        unseen.unseen = "threads"
        let merged = ExplorationRow.merged([[Self.row(.consistent)], [unseen], [unseen]])
        #expect(merged.map(\.verdict) == [.unknown] && merged.map(\.unseen) == ["threads"])
        // Nor does a machine that tried none leave it kept.
        #expect(
            ExplorationRow.merged([[Self.row(.consistent)], [Self.row(.unknown, schedules: 0)]]).map(\.verdict)
                == [.unknown])
    }

    @Test func `counts are added up, and the first seed is that of the first range`() {
        let merged = ExplorationRow.merged([
            [Self.row(.consistent)], [Self.row(.inconsistent, seed: 14)], [Self.row(.inconsistent, seed: 23)],
        ])
        #expect(merged.map(\.firstSeed) == [14])
        #expect(merged.map(\.schedules) == [30] && merged.map(\.violations) == [2])
        #expect(merged.map(\.operationsChecked) == [15] && merged.map(\.distinctTraces) == [6])
        #expect(merged.allSatisfy { $0.traceDigest.utf8.count == 16 && $0.traceDigest != "0123456789abcdef" })
        // Files that were changed by hand overflow nothing.
        #expect(
            ExplorationRow.merged([[Self.row(.consistent, schedules: .max)], [Self.row(.consistent)]]).map(\.schedules)
                == [.max])
    }

    @Test func `a machine whose process died has one row of the promise, and the others count`() {
        let merged = ExplorationRow.merged([
            [Self.row(.inconsistent, .noLostCaller, seed: 1), Self.row(.crashed, .noLostCaller, seed: 5)],
            [Self.row(.consistent), Self.row(.consistent, .noLostCaller)],
        ])
        #expect(merged.map(\.promise) == [.noLostCaller, .singleFlight])
        #expect(merged.map(\.verdict) == [.crashed, .consistent] && merged.map(\.schedules) == [20, 10])
    }
}
