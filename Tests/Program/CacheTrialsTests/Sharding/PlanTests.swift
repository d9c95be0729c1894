import Foundation
import Reports
import TestTiers
import Testing
import TrialModel

@testable import CacheTrials

/// `plan`: the units of a run, the commands that run them, and what they merge to.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct PlanTests {
    /// The rows of a plan without their header.
    private func rows(_ sweep: ShardedSweep, _ words: [String]) async throws -> [[String]] {
        let ending = try await sweep.expect(0, ["plan"] + words)
        let records = try CSVReader.read([UInt8](ending.output.utf8), ending: .complete).records.map(\.fields)
        #expect(
            records.first == ["unit", "scenario", "strategy", "repetition", "seconds", "megabytes", "command"])
        return Array(records.dropFirst())
    }

    private func shell(_ command: String) async throws -> Program.Ending {
        try await Program.start([], shell: command).ending()
    }

    @Test func `every unit is in the plan once, and its commands merge to the result of one run`() async throws {
        let sweep = try ShardedSweep()
        let whole = try await sweep.runWhole()
        let rows = try await rows(sweep, ["run"] + sweep.scenarios + ["--output", sweep.path("r")])
        #expect(Set(rows.map { "\($0[1]) \($0[3])" }) == ["first 1", "first 2", "second 1", "second 2"])
        #expect(Set(rows.map { $0[0] }) == ["1", "2", "3", "4"])
        #expect(rows.allSatisfy { Set($0[2].split(separator: " ")) == ["lru", "none"] })
        for row in rows {
            let ending = try await shell(row[6])
            #expect(ending.exitCode == 0, "\(row[6]): \(ending.errors)")
            // What it did is what its line says.
            let trials = try ResultFolder.read(at: sweep.path("r/\(row[0])")).map(\.trial.key.trial)
            #expect(Set(trials.map { "\($0.scenario) \($0.repetition)" }) == ["\(row[1]) \(row[3])"])
        }
        try ShardedSweep.expectEqual(try await sweep.merge(), whole)
        // A unit that is over runs nothing again.
        let before = try Data(contentsOf: URL(fileURLWithPath: sweep.path("r/1/trials.csv")))
        let again = try await shell(rows.first { $0[0] == "1" }?[6] ?? "")
        #expect(again.exitCode == 0, "\(again.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: sweep.path("r/1/trials.csv"))) == before)
    }

    @Test func `the longest unit comes first, and a larger cache takes more memory`() async throws {
        let sweep = try ShardedSweep()
        let text = ShardedSweep.scenario(seed: 1)
        let long = try sweep.folder.write(
            text.replacing("operations: 400", with: "duration: 20 s").replacing("entries: 50", with: "entries: 300")
                .replacing("size: 1 KiB", with: "size: 1 MiB"), to: "long.yaml")
        let rows = try await rows(sweep, ["run"] + sweep.scenarios + [long, "--output", sweep.path("r")])
        let seconds = try rows.map { try #require(Double($0[4])) }
        #expect(seconds == seconds.sorted(by: >) && seconds[0] > 40 && (seconds.last ?? 99) < 5)
        #expect(rows[0][1] == "long")
        let megabytes = try rows.map { try #require(UInt64($0[5])) }
        #expect(megabytes[0] > megabytes[5] + 250 && megabytes[5] < 200)
    }

    @Test func `turns and checks have their units as well`() async throws {
        let sweep = try ShardedSweep()
        let turns = try await rows(sweep, ["run"] + sweep.scenarios + ["--turns", "--output", sweep.path("r")])
        #expect(Set(turns.map { "\($0[1]) \($0[3])" }) == ["first 1-2", "second 1-2"])
        let checks = try await rows(sweep, ["check"] + sweep.scenarios + ["--smoke", "--output=\(sweep.path("r"))"])
        // A smoke run has one repetition.
        #expect(Set(checks.map { "\($0[1]) \($0[3])" }) == ["first 1", "second 1"])
        #expect(checks.allSatisfy { $0[6].contains(" --smoke --shard ") && $0[6].hasSuffix("--resume --quiet") })
        #expect(checks.allSatisfy { !$0[6].contains("--output=") })
        // Probes of two strategies take longer than the phases.
        #expect(try checks.allSatisfy { try (20..<30).contains(#require(Double($0[4]))) })
    }

    @Test func `names with blanks and quotes are words of the command`() async throws {
        let sweep = try ShardedSweep()
        let folder = sweep.path("it's a $(test)")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let file = try sweep.folder.write(ShardedSweep.scenario(seed: 1), to: "it's a $(test)/first.yaml")
        let ending = try await sweep.expect(
            0,
            [
                "plan", "--format", "commands", "run", file, "--strategies", "lru,none", "--smoke", "--output",
                sweep.path("of 'it'"),
            ])
        let commands = ending.output.split(separator: "\n")
        #expect(commands.count == 1)
        let run = try await shell(String(commands.first ?? ""))
        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(try !ResultFolder.read(at: sweep.path("of 'it'/1")).isEmpty)
    }

    @Test(
        arguments: [
            ([], "Name what is planned, 'run' or 'check'"), (["races"], "Name what is planned, 'run' or 'check'"),
            (["plan", "run"], "Name what is planned"), (["run", "FILE"], "add '--output FOLDER'"),
            (["run", "FILE", "--output", "r", "--shard", "1/2"], "its own '--shard'"),
            (["run", "FILE", "--output", "r", "--shard=1/2"], "its own '--shard'"),
            (["run", "FILE", "--output", "r", "--resume"], "its own '--resume'"),
            (["run", "FILE", "--output", "r", "--no-such"], "Unknown option '--no-such'"),
            (["run", "FILE", "--output", ""], "needs the name of a folder"),
        ] as [([String], String)])
    func `a verb that can't be planned is wrong usage`(words: [String], text: String) async throws {
        let sweep = try ShardedSweep()
        let ending = try await sweep.expect(64, ["plan"] + words.map { $0 == "FILE" ? sweep.scenarios[0] : $0 })
        #expect(ending.errors.contains(text), "\(ending.errors)")
        #expect(ending.output.isEmpty)
    }

    @Test func `the help of the planned verb can be asked for`() async throws {
        for words in [["plan", "--help"], ["plan", "run", "--help"]] {
            let ending = await Program.here(words)
            #expect(ending.exitCode == 0 && ending.output.contains("Examples:"), "\(ending.errors)")
        }
    }

    @Test func `a unit continues whenever it was killed`() async throws {
        let sweep = try ShardedSweep(trials: ScriptedChildren.completing)
        let rows = try await rows(sweep, ["run"] + sweep.scenarios + ["--output", sweep.path("r")])
        #expect(rows.count == 4)
        let words = ["run"] + sweep.scenarios + ["--shard", "1/4", "--quiet", "--resume", "--output"]
        try await sweep.expect(0, words + [sweep.path("whole")])
        let files = try FileManager.default.contentsOfDirectory(atPath: sweep.path("whole")).filter {
            ResultFile(rawValue: $0) != nil
        }
        func header(_ file: String) throws -> String {
            String(try String(contentsOfFile: sweep.path("whole/\(file)"), encoding: .utf8).prefix { $0 != "\r\n" })
                + "\r\n"
        }
        // Before any file, with some files, within a header, with all files, and after `run.json`.
        for (index, kept) in [[], Array(files.filter { $0 != "trials.csv" }.prefix(2)), files, files].enumerated() {
            let folder = sweep.path("killed-\(index)")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for file in kept {
                let text = try header(file)
                try (index == 2 ? String(text.prefix(9)) : text).write(
                    toFile: "\(folder)/\(file)", atomically: false, encoding: .utf8)
            }
            try await sweep.expect(0, words + [folder])
            #expect(try ResultFolder.read(at: folder).count == ResultFolder.read(at: sweep.path("whole")).count)
        }
    }

    @Test func `a folder of something else is not continued, and stays as it is`() async throws {
        let sweep = try ShardedSweep(trials: ScriptedChildren.completing)
        let words = ["run"] + sweep.scenarios + ["--shard", "1/4", "--quiet", "--resume", "--output"]
        for name in ["notes.txt", "latency.csv"] {
            let folder = sweep.path("of \(name)")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try "mine".write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
            let ending = await Program.here(words + [folder], trials: ScriptedChildren.completing)
            #expect(ending.exitCode != 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [name])
            #expect(try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8) == "mine")
        }
    }

    @Test(.nightly) func `sixty units on two cores, killed in the middle, merge to the result of one run`() async throws
    {
        let sweep = try ShardedSweep()
        let whole = try await sweep.runWhole("--repetitions", "30")
        let plan = try await sweep.expect(
            0,
            ["plan", "--format", "commands", "run"] + sweep.scenarios
                + ["--repetitions", "30", "--output", sweep.path("r")])
        #expect(plan.output.split(separator: "\n").count == 60)
        let commands = try sweep.folder.write(plan.output, to: "commands")
        let queue = "xargs -d '\\n' -P 2 -n 1 sh -c < '\(commands)' > /dev/null"
        let killed = try await shell(
            """
            setsid \(queue) & cd '\(sweep.folder.path)'
            while [ "$(ls r 2>/dev/null | wc -l)" -lt 20 ]; do sleep 0.05; done
            kill -s KILL -- -$!; wait; ls r | wc -l
            """)
        let begun = Int(killed.output.filter(\.isNumber)) ?? 0
        #expect((20..<60).contains(begun), "\(killed.output)\(killed.errors)")
        let second = try await shell(queue)
        #expect(second.exitCode == 0, "\(second.errors)")
        try ShardedSweep.expectEqual(try await sweep.merge(), whole)
    }
}
