import Foundation
import Reports
import TestTiers
import Testing
import TrialModel
import TrialSessions

/// Whole runs, as a user starts them.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct RunTests {
    private let folder: TemporaryFolder
    private var output: String { "\(folder.path)/out" }

    init() throws { folder = try TemporaryFolder() }

    /// Two strategies, a warm-up, a phase counted in operations by one client, and one by the clock.
    static func scenario(duration: String = "50 ms") -> String {
        """
        title: A small one for tests
        seed: 7
        repetitions: 1
        keys: { kind: string, count: 300, popularity: { zipf: 1.0 } }
        values: { kind: bytes, size: 1 KiB }
        capacity: { entries: 50 }
        origin: { kind: server, delay: 100 us }
        strategies: [lru, actor]
        phases:
          - { name: warm-up, warm-up: true, operations: 100, clients: 1, mix: { load: 1 } }
          - { name: counted, operations: 400, clients: 1, mix: { read: 2, load: 6, write: 1, remove: 1 } }
          - { name: timed, duration: \(duration), clients: 2, mix: { load: 1 } }

        """
    }

    @Test(.nightly) func `every shipped scenario runs at smoke size against strategies of every kind`() async throws {
        let trials = try await smoke("Scenarios", "--strategies", "lru,actor,disk")
        #expect(Set(trials.map { $0["scenario"] }).count >= 9)
        #expect(Set(trials.map { $0["strategy"] }).count == 3)
    }

    @Test func `a few shipped scenarios run at smoke size`() async throws {
        let trials = try await smoke(
            "Scenarios/operations.yaml", "Scenarios/steady-zipf.yaml", "--strategies", "lru")
        #expect(Set(trials.map { $0["scenario"] }).count == 2)
    }

    @Test func `every shipped scenario can be planned, run and reported`() async throws {
        let trials = try await smoke(
            "Scenarios", "--strategies", "lru", trials: ScriptedChildren.completing)
        #expect(Set(trials.map { $0["scenario"] }).count >= 9)
    }

    @Test(.nightly) func `every sound strategy and bound runs at smoke size`() async throws {
        let trials = try await smoke("Scenarios/shifting-popularity.yaml", "--strategies", "candidates,baselines")
        #expect(Set(trials.map { $0["strategy"] }).count >= 21)
    }

    /// Runs at smoke size and returns the rows of `trials.csv`.
    private func smoke(_ arguments: String..., trials: StartChild? = nil) async throws -> [[String: String]] {
        let ending = await Program.here(
            ["run"] + arguments + ["--smoke", "--quiet", "--output", output], trials: trials)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let trials = try records(of: "\(output)/trials.csv")
        #expect(Set(trials.map { $0["status"] }) == ["completed"])
        for row in try records(of: "\(output)/hit-rate.csv") {
            let numbers = ["lookups", "hits", "misses"].compactMap { row[$0].flatMap { UInt64($0) } }
            #expect(numbers.count == 3 && numbers[0] == numbers[1] + numbers[2], "\(row)")
        }
        return trials
    }

    @Test func `several scenarios end with one table of both, and a sentence for each`() async throws {
        let files = try ["one", "two"].map { try folder.write(Self.scenario(), to: "\($0).yaml") }
        let run = ["run"] + files + ["--repetitions", "2", "--output", "\(folder.path)/out"]
        let ending = await Program.here(run, trials: ScriptedChildren.completing)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let lines = ending.output.split(separator: "\n")
        #expect(lines.count < 16 && lines.first?.contains("one") == true && lines.first?.contains("two") == true)
        #expect(lines.suffix(2).map { $0.prefix { $0 != " " } } == ["one:", "two:"])
        #expect(ending.errors.hasSuffix("Page: \(folder.path)/out/report.html\n"))
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/out/report.html"))
    }

    @Test func `Ctrl-C prints the table, and writes the page of finished results`() async throws {
        let files = try ["one", "two"].map { try folder.write(Self.scenario(), to: "\($0).yaml") }
        let signals = ScriptedSignals()
        let ending = await Program.here(
            ["run"] + files + ["--quiet", "--output", output],
            trials: ScriptedChildren { trial in
                if trial.identity.scenario.name == "two", trial.identity.strategy == "actor" {
                    try await signals.interrupt()
                }
                return .completed
            }.start, signals: signals.stream)
        #expect(ending.exitCode == 130)
        #expect(ending.output.contains("one") && ending.output.contains("two"))
        #expect(try String(contentsOfFile: "\(output)/report.html", encoding: .utf8).contains("partial results"))
    }

    @Test func `one scenario ends with its table of all repetitions, and a sentence`() async throws {
        let file = try folder.write(Self.scenario(), to: "one.yaml")
        let ending = await Program.here(
            "run", file, "--repetitions", "2", "--output", "\(folder.path)/out", trials: ScriptedChildren.completing)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let lines = ending.output.split(separator: "\n")
        #expect(lines.count { $0 == "one" } == 1)
        #expect(ending.output.contains("medians of 2 repetitions"))
        #expect(lines.last?.hasPrefix("one: ") == true)
    }

    @Test(arguments: [(["--budget", "10min"], 3), (["--budget", "10min", "--repetitions", "2"], 2)])
    func `with a budget a scenario is repeated until it is known who is best, unless repetitions are asked for`(
        arguments: [String], repetitions: Int
    ) async throws {
        let file = try folder.write(Self.scenario(), to: "one.yaml")
        // Both strategies have equal figures without scatter. Three pairs tell that.
        let ending = await Program.here(
            ["run", file, "--quiet", "--strategies", "lru,actor", "--output", output] + arguments,
            trials: ScriptedChildren.completing)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let trials = try records(of: "\(output)/trials.csv").filter { $0["strategy"] == "lru" }
        #expect(trials.compactMap { $0["repetition"].flatMap { Int($0) } }.max() == repetitions)
        #expect(!ending.errors.contains("left out"))
    }

    // Their counts are compared as exact figures.
    @Test func `caches that hash with a secret have the same hits in every run`() async throws {
        let names = "sharded-lru,concurrent-sieve,w-tinylfu"
        let text = SmallScenario.text(strategies: names, mix: "load: 1", operations: 5_000)
        let file = try folder.write(text, to: "one.yaml")
        var hits: [[String: UInt64]] = []
        for run in 1...2 {
            let output = "\(folder.path)/\(run)"
            let ending = try await Program.start(["run", file, "--quiet", "--output", output]).ending()
            #expect(ending.exitCode == 0, "\(ending.errors)")
            let rows = try ResultFolder.read(at: output).compactMap { result in
                result.hitRate.map { (result.trial.key.strategy, $0.hits) }
            }
            hits.append(Dictionary(rows) { $0 + $1 })
        }
        #expect(hits[0].count == 3 && hits[0] == hits[1])
    }

    @Test func `for programs there is one table of all scenarios, and nothing else`() async throws {
        let files = try ["one", "two"].map { try folder.write(Self.scenario(), to: "\($0).yaml") }
        let run = ["run"] + files + ["--smoke", "--quiet", "--format", "csv", "--output", "\(folder.path)/out"]
        let ending = await Program.here(run, trials: ScriptedChildren.completing)
        let lines = ending.output.split(whereSeparator: \.isNewline)
        #expect(Set(lines.map { $0.prefix { $0 != "," } }) == ["scenario", "one", "two"])
    }

    @Test func `without --output the results are in a folder with the time as its name`() async throws {
        let file = try folder.write(Self.scenario(), to: "small.yaml")
        let ending = try await Program.run("run", file, "--smoke", "--quiet", "--strategies", "none", in: folder.path)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/Results")
        #expect(names.count == 1)
        #expect(try #require(names.first).wholeMatch(of: /\d{4}-\d\d-\d\dT\d{6}Z/) != nil, "\(names)")
    }

    @Test func `a killed trial is a row with the reason, and the other trials continue`() async throws {
        let file = try folder.write(Self.scenario(duration: "50 ms"), to: "small.yaml")
        let run = ["run", file, "--output", output, "--repetitions", "1"]
        var (program, trial) = (try Program.start(run), Int32?.none)
        while true {
            trial = try await program.holdTrial()
            if trial != nil { break }
            // The run was over before this test had its turn.
            _ = await program.ending()
            try FileManager.default.removeItem(atPath: output)
            program = try Program.start(run)
        }
        let held = try #require(trial)
        kill(held, SIGSEGV)
        kill(held, SIGCONT)
        let ending = await program.ending()
        #expect(ending.exitCode == 3, "\(ending.errors)")
        let rows = try records(of: "\(output)/trials.csv")
        let crashed = try #require(rows.first { $0["reason"]?.contains("SIGSEGV") == true })
        let (own, others) = (
            rows.filter { $0["strategy"] == crashed["strategy"] }, rows.filter { $0["strategy"] != crashed["strategy"] }
        )
        #expect(own.count == 3 && own.last?["status"] == "crashed", "\(own)")
        #expect(others.count == 3 && others.allSatisfy { $0["status"] == "completed" }, "\(others)")
    }

    @Test func `a trial that does not end and is not stuck is a row that says slow`() async throws {
        let file = try folder.write(Self.scenario(duration: "120 s"), to: "small.yaml")
        let ending = await Program.here(
            "run", file, "--quiet", "--output", output, "--repetitions", "1", "--deadline", "1s", "--strategies", "lru")
        #expect(ending.exitCode == 0)
        let rows = try records(of: "\(output)/trials.csv")
        // A busy machine may reach the last phase or not.
        #expect(rows.count == 3 && rows.last?["status"] == "slow", "\(rows)")
        let slow = rows.first { $0["status"] == "slow" }
        #expect(slow?["reason"]?.contains("stopped after 3 s while still at work") == true, "\(rows)")
    }
}
