import Foundation
import HistoryChecking
import Reports
import TestTiers
import Testing
import TrialModel
import TrialSessions

/// `--shard` and `merge`, as a user runs them.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct ShardedRunTests {
    @Test func `shards merge to the result of one run, and mistakes on the way are named`() async throws {
        let sweep = try ShardedSweep(trials: ScriptedChildren.completing)
        let whole = try await sweep.runWhole()
        for number in 1...3 { try await sweep.expect(0, sweep.shard(number, of: 3)) }
        let results = (1...3).map { sweep.path("r/\($0)") }
        let missing = try await sweep.expect(65, ["merge", results[0], results[2], "--output", sweep.path("m")])
        #expect(missing.errors.contains("missing: shard 2/3. Run the same command with '--shard 2/3'"))
        let second = results[1] + "/trials.csv"
        let rows = try String(contentsOfFile: second, encoding: .utf8)
        try rows.replacingOccurrences(of: ",completed,", with: ",partial,")
            .write(toFile: second, atomically: true, encoding: .utf8)
        let partial = try await sweep.expect(65, ["merge"] + results + ["--output", sweep.path("m")])
        #expect(partial.errors.contains("was interrupted; run its command again with '--shard 2/3"))
        try rows.write(toFile: second, atomically: true, encoding: .utf8)
        let histograms = results[1] + "/histograms"
        try FileManager.default.moveItem(atPath: histograms, toPath: sweep.path("kept"))
        let lost = try await sweep.expect(65, ["merge"] + results + ["--output", sweep.path("m"), "--allow-missing"])
        #expect(lost.errors.contains("\(histograms)/"), "\(lost.errors)")
        #expect(lost.errors.contains(".hlog: has no distribution of the operations"), "\(lost.errors)")
        try FileManager.default.moveItem(atPath: sweep.path("kept"), toPath: histograms)
        let unsharded = try await sweep.expect(65, ["merge", whole, "--output", sweep.path("m")])
        #expect(unsharded.errors.contains("no shard ran there; name result folders"))
        #expect(!FileManager.default.fileExists(atPath: sweep.path("m")))

        let merged = try await sweep.merge("r")
        try ShardedSweep.expectEqual(merged, whole)
        let run = try ResultFolder.readRun(at: merged)
        #expect(run.merged?.parts.map(\.shard) == [1, 2, 3])
        #expect(run.partial == false)
        #expect(run.scenarios.map(\.name) == ["first", "second"])
        #expect(Set(try ResultFolder.rows(of: MachineRow.self, at: merged).map(\.shard)) == [1, 2, 3])
        try await sweep.expect(0, ["report", merged])
        let again = try await sweep.expect(65, ["merge", merged, "--output", sweep.path("m")])
        #expect(again.errors.contains("was merged before; name the folders of its shards"))
    }

    // Merged examples named folders of shards, which are on other machines.
    @Test func `merged examples name scripts that were merged with them`() async throws {
        let sweep = try ShardedSweep(trials: ScriptedChildren.completing)
        for number in 1...2 { try await sweep.expect(0, sweep.shard(number, of: 2, verb: "check")) }
        let shard = sweep.path("r/2")
        let table = "\(shard)/consistency.csv"
        let lines = try String(contentsOfFile: table, encoding: .utf8)
        let row = try #require(try ResultFolder.readConsistency(at: shard).first { $0.verdict == .consistent })
        let line = try #require(
            lines.split(separator: "\r\n").first { $0.contains("\(row.promise.rawValue),consistent") })
        try lines.replacing(line, with: line.replacing(",consistent,", with: ",inconsistent,"), maxReplacements: 1)
            .write(toFile: table, atomically: true, encoding: .utf8)
        let changed = try #require(try ResultFolder.readConsistency(at: shard).first { $0.verdict == .inconsistent })
        let command = "cache-trials explore 'results/of a shard/scripts/order.yaml' --orders 1 --seed 3"
        var example = Counterexample(summary: "a loss", events: [])
        example.details = ["again: \(command)"]
        for (name, bytes) in [
            (ConsistencyEntry.path(of: changed), try JSONEncoder().encode(example)),
            ("scripts/order.yaml", Data("x".utf8)),
        ] {
            let file = URL(fileURLWithPath: "\(shard)/\(name)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try bytes.write(to: file)
        }
        let merged = sweep.path("merged")
        try await sweep.expect(3, ["merge", sweep.path("r/1"), shard, "--output", merged])
        let file = URL(fileURLWithPath: "\(merged)/\(ConsistencyEntry.path(of: changed))")
        let kept = try JSONDecoder().decode(Counterexample.self, from: Data(contentsOf: file))
        #expect(
            kept.details == ["again: cache-trials explore \(merged)/scripts/2/order.yaml --orders 1 --seed 3"])
        #expect(try String(contentsOfFile: "\(merged)/scripts/2/order.yaml", encoding: .utf8) == "x")
    }

    @Test func `a shard whose scenarios are not checked continues, though another one checks`() async throws {
        let folder = try TemporaryFolder()
        let text = SmallScenario.text(strategies: "lru", mix: "read: 1", operations: 100)
        let files = [
            try folder.write(text.replacing("seed: 7", with: "seed: 7\ncheck: true"), to: "checked.yaml"),
            try folder.write(text, to: "unchecked.yaml"),
        ]
        for options in [[], ["--resume"]] {
            let output = ["--shard", "2/2", "--quiet", "--output", "\(folder.path)/2"]
            let ending = await Program.here(["run"] + files + output + options, trials: ScriptedChildren.completing)
            #expect(ending.exitCode == 0, "\(ending.errors)")
        }
        #expect(try ResultFolder.readRun(at: "\(folder.path)/2").check == nil)
    }

    @Test func `a run that can't be shared is refused with the allowed numbers`() async throws {
        let sweep = try ShardedSweep(trials: ScriptedChildren.completing)
        let many = try await sweep.expect(64, sweep.shard(5, of: 5))
        #expect(
            many.errors.contains(
                "the work has 4 parts, such as 'first, repetition 1', so at most 4 machines can share it"),
            "\(many.errors)")
        let turns = try await sweep.expect(64, sweep.shard(3, of: 3, "--turns"))
        #expect(turns.errors.contains("the work has 2 parts, such as 'first', so"), "\(turns.errors)")
        for shard in ["0/2", "3/2", "2", "1/10001", "a/b", "-1/2", "1/2/3", "99999999999999999999/2"] {
            try await sweep.expect(64, ["run"] + sweep.scenarios + ["--shard=\(shard)", "--output", sweep.path("r")])
        }
        let folder = try await sweep.expect(64, ["run"] + sweep.scenarios + ["--shard", "1/2"])
        #expect(folder.errors.contains("'--shard' needs a folder that 'merge' finds"))
        #expect(!FileManager.default.fileExists(atPath: sweep.path("r")))
    }

    @Test func `shards of other options or files are refused, and so is another shard of a folder`() async throws {
        let sweep = try ShardedSweep(trials: ScriptedChildren.completing)
        try await sweep.expect(0, sweep.shard(1, of: 2))
        let other = try await sweep.expect(
            65,
            ["run"] + sweep.scenarios
                + ["--shard", "2/2", "--output", sweep.path("r/1"), "--quiet", "--resume"])
        #expect(other.errors.contains("it holds another shard, or none"))
        for flags in [["--seed", "9"], ["--smoke"], ["--strategies", "lru"]] {
            try await sweep.expect(0, sweep.shard(2, of: 2) + flags)
            let refused = try await sweep.expect(
                65, ["merge", sweep.path("r/1"), sweep.path("r/2"), "--output", sweep.path("m")])
            #expect(refused.errors.contains("can't be merged: plan: "), "\(refused.errors)")
            try FileManager.default.removeItem(atPath: sweep.path("r/2"))
        }
        _ = try sweep.folder.write(ShardedSweep.scenario(seed: 7), to: "second.yaml")
        try await sweep.expect(0, sweep.shard(2, of: 2))
        let changed = try await sweep.expect(
            65, ["merge", sweep.path("r/1"), sweep.path("r/2"), "--output", sweep.path("m")])
        #expect(changed.errors.contains("can't be merged: plan: "), "\(changed.errors)")
    }

    @Test func `what a budget left out is left out of the merge, and not missing`() async throws {
        let sweep = try ShardedSweep(trials: ScriptedChildren.completing)
        try await sweep.expect(0, sweep.shard(1, of: 2))
        try await sweep.expect(0, sweep.shard(2, of: 2, "--budget", "1ms"))
        let left = try ResultFolder.readRun(at: sweep.path("r/2")).leftOut
        #expect(!left.isEmpty)
        let run = try ResultFolder.readRun(at: try await sweep.merge())
        #expect(run.leftOut == left && !run.partial)
    }

    @Test func `a shard ends with 0 whatever it found, and the merge says what`() async throws {
        let sweep = try ShardedSweep(
            trials: ScriptedChildren { $0.identity.strategy == "lru" ? .crashed : .completed }.start)
        for number in 1...2 {
            let ending = try await sweep.expect(0, sweep.shard(number, of: 2))
            #expect(ending.errors.contains("A shard ends with 0 whatever it found"), "\(ending.errors)")
            #expect(try ResultFolder.readVerdict(at: sweep.path("r/\(number)")).exitCode == 3)
        }
        let merged = try await sweep.expect(
            3, ["merge", sweep.path("r/1"), sweep.path("r/2"), "--output", sweep.path("m")])
        #expect(merged.errors.contains("as scripted"), "\(merged.errors)")
    }

    @Test(
        .timeLimit(.minutes(3)),
        arguments: [["check", "--smoke"], ["run", "--turns"], ["run", "--until-decided"]])
    func `checks, turns and runs until it is known who is best are shared as well`(words: [String]) async throws {
        let sweep = try ShardedSweep(trials: ScriptedChildren.completing)
        for number in 1...2 {
            try await sweep.expect(0, sweep.shard(number, of: 2, verb: words[0]) + words.dropFirst())
        }
        let merged = try await sweep.merge()
        let trials = Set(try ResultFolder.read(at: merged).map(\.trial.key.trial))
        #expect(Set(trials.map { "\($0.scenario) \($0.strategy)" }).count == 4)
        #expect(try ResultFolder.readRun(at: merged).leftOut.isEmpty)
        #expect(try words[0] != "check" || !ResultFolder.rows(of: ConsistencyRow.self, at: merged).isEmpty)
    }

    @Test func `replays of traces are spread over shards and merge to the result of one replay`() async throws {
        let sweep = try ShardedSweep()
        let traces = try [("a", "1 2 1 3 1 2"), ("b", "5 6 7 5 6 1 1 2"), ("c", "9 9 8")].map { name, keys in
            let lines = "key\n" + keys.replacingOccurrences(of: " ", with: "\n") + "\n"
            return try sweep.folder.write(lines, to: "\(name).csv")
        }
        let replay = ["replay"] + traces + ["--policies", "lru,arc", "--capacities", "1,2"]
        try await sweep.expect(0, replay + ["--output", sweep.path("whole")])
        #expect(try ResultFolder.readRun(at: sweep.path("whole")).seed == 1)
        func shard(_ number: Int, _ flags: String...) -> [String] {
            replay + ["--shard", "\(number)/2", "--output", sweep.path("r/\(number)")] + flags
        }
        for number in 1...2 {
            try await sweep.expect(0, shard(number))
            // Nothing is left to run, and nothing is counted twice.
            if number == 1 { try await sweep.expect(0, shard(number, "--resume")) }
        }
        let merged = try await sweep.merge()
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
        try FileManager.default.removeItem(atPath: sweep.path("r/2"))
        try await sweep.expect(0, shard(2))
        let changed = try await sweep.expect(
            65, ["merge", sweep.path("r/1"), sweep.path("r/2"), "--output", sweep.path("m")])
        #expect(changed.errors.contains("can't be merged: plan: "), "\(changed.errors)")
    }

    @Test func `replays end when their time is over, and continue`() async throws {
        let sweep = try ShardedSweep()
        let long = ["replay"] + (try sweep.folder.longReplay(parts: 4)) + ["--output", sweep.path("cut")]
        let cut = try await sweep.expect(0, long + ["--budget", "1ms"])
        #expect(cut.errors.contains("The time budget left out"), "\(cut.errors)")
        #expect(try Set(ResultFolder.readRun(at: sweep.path("cut")).leftOut.map(\.reason)) == ["time budget"])
        #expect(try ResultFolder.rows(of: ReplayRow.self, at: sweep.path("cut")).isEmpty)
        let trace = try sweep.folder.write("key\n1\n2\n1\n", to: "short.csv")
        let short = ["replay", trace, "--policies", "lru,arc", "--capacities", "1,2", "--output", sweep.path("s")]
        try await sweep.expect(0, short + ["--budget", "10min"])
        let rows = sweep.path("s/replay.csv")
        let header = try String(contentsOfFile: rows, encoding: .utf8).prefix { !$0.isNewline } + "\r\n"
        try header.write(toFile: rows, atomically: true, encoding: .utf8)
        try await sweep.expect(0, short + ["--resume"])
        #expect(try ResultFolder.rows(of: ReplayRow.self, at: sweep.path("s")).count == 4)
        let other = try await sweep.expect(65, short + ["--resume", "--seed", "2"])
        #expect(other.errors.contains("--seed has changed"))
    }
}
