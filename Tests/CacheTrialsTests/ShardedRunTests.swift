import Foundation
import Reports
import TestTiers
import Testing
import TrialModel

/// `plan`, `run --shard` and `merge`, as a user runs them.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct ShardedRunTests {
    @Test func `shards merge to the result of one run, and mistakes on the way are named`() async throws {
        let sweep = try ShardedSweep(trials: ScriptedRunner.completing)
        let whole = try await sweep.runWhole()
        let plan = try await sweep.plan(3)
        for number in 1...3 {
            try await sweep.expect(
                0, ["run", "--shard", "\(plan)/shard-\(number).json", "--output", sweep.path("r/\(number)"), "--quiet"])
        }
        let results = (1...3).map { sweep.path("r/\($0)") }
        let missing = try await sweep.expect(65, ["merge", results[0], results[2], "--output", sweep.path("m")])
        #expect(missing.errors.contains("missing: shard 2 of 3: 'cache-trials run --shard shard-2.json --output …'"))
        let twice = try await sweep.expect(65, ["merge"] + results + [results[1], "--output", sweep.path("m")])
        #expect(twice.errors.contains("shard 2 of 3 appears twice, in \(results[1]) and in \(results[1])"))
        let second = results[1] + "/trials.csv"
        let rows = try String(contentsOfFile: second, encoding: .utf8)
        try rows.replacingOccurrences(of: ",completed,", with: ",partial,")
            .write(toFile: second, atomically: true, encoding: .utf8)
        let partial = try await sweep.expect(65, ["merge"] + results + ["--output", sweep.path("m")])
        #expect(partial.errors.contains("was interrupted; continue with"))
        try rows.write(toFile: second, atomically: true, encoding: .utf8)
        let latency = results[1] + "/latency.csv"
        let lines = try String(contentsOfFile: latency, encoding: .utf8)
        let strategy = try #require(try ResultFolder.read(at: results[1]).first?.trial.key.trial.strategy)
        try lines.components(separatedBy: "\r\n").filter { !$0.contains(",\(strategy),") }.joined(separator: "\r\n")
            .write(toFile: latency, atomically: true, encoding: .utf8)
        let bare = try await sweep.expect(65, ["merge"] + results + ["--output", sweep.path("m")])
        #expect(bare.errors.contains("latency.csv has no rows of \(strategy) in"))
        try lines.write(toFile: latency, atomically: true, encoding: .utf8)
        let histograms = results[1] + "/histograms"
        try FileManager.default.moveItem(atPath: histograms, toPath: sweep.path("kept"))
        let lost = try await sweep.expect(65, ["merge"] + results + ["--output", sweep.path("m"), "--allow-missing"])
        #expect(lost.errors.contains("\(histograms)/"), "\(lost.errors)")
        #expect(lost.errors.contains(".hlog: has no distribution of the operations"), "\(lost.errors)")
        try FileManager.default.moveItem(atPath: sweep.path("kept"), toPath: histograms)
        let unsharded = try await sweep.expect(65, ["merge", whole, "--output", sweep.path("m")])
        #expect(unsharded.errors.contains("holds no shard.json, so no shard ran there"))
        #expect(!FileManager.default.fileExists(atPath: sweep.path("m")))

        let merged = try await sweep.merge("r")
        try ShardedSweep.expectEqual(merged, whole)
        let run = try ResultFolder.readRun(at: merged)
        #expect(run.merged?.parts.map(\.shard.number) == [1, 2, 3])
        #expect(run.partial == false)
        #expect(run.scenarios.map(\.name) == ["first", "second"])
        #expect(Set(try ResultFolder.rows(of: MachineRow.self, at: merged).map(\.shard)) == [1, 2, 3])
        try await sweep.expect(0, ["report", merged])
        let again = try await sweep.expect(65, ["merge", merged, "--output", sweep.path("m")])
        #expect(again.errors.contains("was merged before; name the folders of its shards"))
    }

    @Test func `the same command makes the same plan`() async throws {
        let sweep = try ShardedSweep()
        var texts: [String] = []
        for name in ["a", "b"] {
            try await sweep.expect(
                0, ["plan"] + sweep.scenarios + ["--shards", "2", "--output", sweep.path(name), "--seed", "9"])
            texts.append(
                try (1...2).map { try String(contentsOfFile: sweep.path("\(name)/shard-\($0).json"), encoding: .utf8) }
                    .joined())
        }
        #expect(texts[0] == texts[1])
    }

    @Test func `a run that can't be planned is refused with the allowed ones`() async throws {
        let sweep = try ShardedSweep()
        let cases: [(arguments: [String], code: Int32, says: String)] = [
            (["--output", sweep.path("p")], 64, "Say how to cut the run: '--shards N' or '--generators N'."),
            (
                ["--shards", "9", "--output", sweep.path("p")], 64,
                "there are 8 trials, so a number from 1 to 8 is allowed"
            ),
            (["--generators", "2", "--output", sweep.path("p")], 65, "first: phase warm-up has 1 clients"),
            (
                ["--generators", "2", "--check", "--output", sweep.path("p")], 64,
                "'--check' needs to see the whole load"
            ),
            (
                ["--generators", "2", "--for", "slurm", "--output", sweep.path("p")], 64,
                "generators run at the same time"
            ),
            (["--shards", "2", "--output", sweep.folder.path], 2, "name a new or empty folder with --output"),
        ]
        for (arguments, code, says) in cases {
            let ending = try await sweep.expect(code, ["plan"] + sweep.scenarios + arguments)
            #expect(ending.errors.contains(says), "\(ending.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: sweep.path("p")))
    }

    @Test func `a shard says what to run, and the command line can't override it`() async throws {
        let sweep = try ShardedSweep(trials: ScriptedRunner.completing)
        let plan = try await sweep.plan(2)
        let shard = "\(plan)/shard-1.json"
        let seed = try await sweep.expect(64, ["run", "--shard", shard, "--output", sweep.path("r"), "--seed", "1"])
        #expect(seed.errors.contains("'--shard' says what to run: leave out '--seed', or give it to 'plan'."))
        let folder = try await sweep.expect(64, ["run", "--shard", shard])
        #expect(folder.errors.contains("'--shard' needs a folder that 'merge' finds"))
        try await sweep.expect(0, ["run", "--shard", shard, "--output", sweep.path("r"), "--quiet"])
        let other = try await sweep.expect(
            65, ["run", "--shard", "\(plan)/shard-2.json", "--output", sweep.path("r"), "--quiet", "--resume"])
        #expect(other.errors.contains("it holds another shard, or none"))
    }

    @Test func `generators share the clients of a phase, and their counts add up to those of one`() async throws {
        let sweep = try ShardedSweep()
        // Each strategy has a start of its own, some seconds after the last.
        let strategies = TestTier.isNightly ? ["lru", "disk"] : ["lru"]
        let file = try sweep.folder.write(
            ShardedSweep.scenario(seed: 3, clients: 5, strategies: strategies.joined(separator: ", ")), to: "many.yaml")
        try await sweep.expect(0, ["run", file, "--output", sweep.path("whole"), "--quiet", "--repetitions", "1"])
        try await sweep.expect(
            0, ["plan", file, "--generators", "2", "--output", sweep.path("plan"), "--repetitions", "1"])
        let start = Date.now.addingTimeInterval(1).formatted(.iso8601)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...2 {
                let generator = sweep.path("plan/generator-\(number).json")
                let output = sweep.path("r/\(number)")
                group.addTask {
                    try await sweep.expect(
                        0, ["run", "--shard", generator, "--output", output, "--quiet", "--start-at", start])
                }
            }
            try await group.waitForAll()
        }
        let merged = try await sweep.merge("r")
        let (sum, one) = (try ResultFolder.read(at: merged), try ResultFolder.read(at: sweep.path("whole")))
        #expect(sum.map(\.trial.key) == one.map(\.trial.key))
        #expect(sum.map(\.trial.operations) == one.map(\.trial.operations))
        #expect(sum.map(\.hitRate?.lookups) == one.map(\.hitRate?.lookups))
        #expect(sum.map(\.hitRate?.writes) == one.map(\.hitRate?.writes))
        #expect(sum.map(\.hitRate?.removals) == one.map(\.hitRate?.removals))
        #expect(sum.map(\.hitRate?.bytesLookedUp) == one.map(\.hitRate?.bytesLookedUp))
        #expect(
            try ResultFolder.rows(of: MachineRow.self, at: merged).map(\.generator)
                == strategies.flatMap { _ in [1, 2] })
        let lone = try await sweep.expect(65, ["merge", sweep.path("r/2"), "--output", sweep.path("m")])
        #expect(lone.errors.contains("missing: shard 1 of 1, generator 1 of 2"))
    }

    @Test func `replays of traces are spread over shards and merge to the result of one replay`() async throws {
        let sweep = try ShardedSweep()
        let traces = try [("a", "1 2 1 3 1 2"), ("b", "5 6 7 5 6 1 1 2"), ("c", "9 9 8")].map { name, keys in
            let lines = "key\n" + keys.replacingOccurrences(of: " ", with: "\n") + "\n"
            return try sweep.folder.write(lines, to: "\(name).csv")
        }
        let replay = ["replay"] + traces + ["--policies", "lru,arc", "--capacities", "1,2"]
        try await sweep.expect(0, replay + ["--output", sweep.path("whole")])
        try await sweep.expect(0, ["plan", "--shards", "2", "--output", sweep.path("plan"), "--"] + replay)
        for number in 1...2 {
            let run = [
                "run", "--shard", sweep.path("plan/shard-\(number).json"), "--output", sweep.path("r/\(number)"),
            ]
            try await sweep.expect(0, run)
            // Nothing is left to run, and nothing is counted twice.
            if number == 1 { try await sweep.expect(0, run + ["--resume"]) }
        }
        let merged = try await sweep.merge("r")
        let rows = try [merged, sweep.path("whole")].map { path in
            try ResultFolder.rows(of: ReplayRow.self, at: path).map { row in
                var row = row
                row.requestsPerSecond = nil
                return row
            }
        }
        #expect(rows[0].count == 12)
        #expect(rows[0] == rows[1])
        _ = try sweep.folder.write("key\n1\n", to: "a.csv")
        var errors = ""
        for number in 1...2 {
            errors += await Program.here(
                "run", "--shard", sweep.path("plan/shard-\(number).json"), "--output", sweep.path("again/\(number)")
            ).errors
        }
        #expect(errors.contains("a.csv: is not the trace that was planned"))
    }

    @Test func `the replays of a shard start at the given time, and end when their time is over`() async throws {
        let sweep = try ShardedSweep()
        let keys = (0..<2_000).map { "\($0 &* 7919 % 521)\n" }.joined()
        let trace = try sweep.folder.write("key\n" + keys, to: "short.csv")
        let long = ["replay"] + (try sweep.folder.longReplay(parts: 4))
        try await sweep.expect(0, ["plan", "--shards", "1", "--output", sweep.path("long"), "--"] + long)
        let cut = try await sweep.expect(
            0, ["run", "--shard", sweep.path("long/shard-1.json"), "--output", sweep.path("cut"), "--budget", "1ms"])
        #expect(cut.errors.contains("The time budget left out 1 of 1 replays"), "\(cut.errors)")
        #expect(try ResultFolder.readRun(at: sweep.path("cut")).leftOut.map(\.reason) == ["time budget"])
        #expect(try ResultFolder.rows(of: ReplayRow.self, at: sweep.path("cut")).isEmpty)

        let replay = ["replay", trace, "--policies", "lru,arc", "--capacities", "1%,2%,5%,10%,20%"]
        try await sweep.expect(0, ["plan", "--shards", "2", "--output", sweep.path("plan"), "--"] + replay)
        let run = ["run", "--shard", sweep.path("plan/shard-1.json"), "--output", sweep.path("r/1")]
        for (flag, value) in [("--deadline", "1s"), ("--redis", "127.0.0.1:1")] {
            let refused = try await sweep.expect(64, run + [flag, value])
            #expect(refused.errors.contains("'\(flag)' is about trials, and this shard replays traces: leave it out."))
        }
        // The time is given in whole seconds.
        let start = Date(timeIntervalSince1970: Date.now.timeIntervalSince1970.rounded(.up))
        try await sweep.expect(0, run + ["--budget", "10min", "--start-at", start.formatted(.iso8601)])
        let whole = try ResultFolder.readRun(at: sweep.path("r/1"))
        #expect(try #require(whole.end) >= start)
        #expect(whole.leftOut.isEmpty && !whole.partial)
        #expect(try ResultFolder.rows(of: ReplayRow.self, at: sweep.path("r/1")).count == 5)

        let rows = sweep.path("r/1/replay.csv")
        let header = try String(contentsOfFile: rows, encoding: .utf8).prefix { !$0.isNewline } + "\r\n"
        try header.write(toFile: rows, atomically: true, encoding: .utf8)
        try await sweep.expect(0, run + ["--resume", "--budget", "10min"])
        #expect(try ResultFolder.rows(of: ReplayRow.self, at: sweep.path("r/1")).count == 5)
    }
}
