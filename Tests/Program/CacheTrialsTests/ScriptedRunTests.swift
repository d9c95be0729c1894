import Foundation
import HistoryChecking
import Locks
import Reports
import Testing
import TrialModel
import TrialSessions

/// How a run reports scripted outcomes of its trials.
@Suite(.timeLimit(.minutes(1)))
struct ScriptedRunTests {
    private let folder = try? TemporaryFolder()

    private func run() throws -> ScriptedRun {
        ScriptedRun(output: "\(try #require(folder).path)/out")
    }

    @Test func `completed trials are rows, and the run passes`() async throws {
        let run = try run()
        #expect(try await run.carryOut() == 0)
        #expect(
            try run.trials() == [
                "one lru 1 completed", "one sieve 1 completed", "one sieve 2 completed", "one lru 2 completed",
            ])
        #expect(try run.verdict().passed)
    }

    @Test(arguments: [(TrialStatus.crashed, Int32(3)), (.hung, 3), (.invalid, 2)])
    func `a failed trial is a row, the others continue, and the run fails`(
        status: TrialStatus, exitCode: Int32
    ) async throws {
        let run = try run()
        let code = try await run.carryOut { $0.strategy == "lru" && $0.repetition == 1 ? status : .completed }
        #expect(code == exitCode)
        #expect(try run.trials().first == "one lru 1 \(status.rawValue)")
        #expect(try run.trials().count == 4)
    }

    @Test func `trials that exceed the budget are left out, and named`() async throws {
        var run = try run()
        run.scenarios = ["one", "long"]
        run.repetitions = 1
        run.budget = .seconds(10)
        #expect(try await run.carryOut() == 0)
        #expect(try run.trials() == ["one lru 1 completed", "one sieve 1 completed"])
        #expect(
            try ResultFolder.readRun(at: run.output).leftOut.map(\.what) == [
                "long, lru, repetition 1", "long, sieve, repetition 1",
            ])
    }

    // run.json named them no longer.
    @Test func `what a budget left out stays named until a later command has run it`() async throws {
        var run = try run()
        run.scenarios = ["one", "long"]
        run.repetitions = 1
        run.budget = .seconds(10)
        #expect(try await run.carryOut() == 0)
        run.budget = nil
        run.scenarios = ["one"]
        #expect(try await run.carryOut(resume: true) == 0)
        let left = try ResultFolder.readRun(at: run.output).leftOut
        #expect(left.map(\.what) == ["long, lru, repetition 1", "long, sieve, repetition 1"])
        #expect(left.allSatisfy { $0.reason == "an earlier command left it out" })
        run.scenarios = ["one", "long"]
        #expect(try await run.carryOut(resume: true) == 0)
        #expect(try ResultFolder.readRun(at: run.output).leftOut.isEmpty)
        #expect(try run.trials().count == 4)
    }

    @Test func `a trial that has hung twice is not repeated, the others are, and it is named`() async throws {
        var run = try run()
        run.repetitions = 4
        #expect(try await run.carryOut { $0.strategy == "lru" ? .hung : .completed } == 3)
        let trials = try run.trials()
        #expect(trials.filter { $0.hasPrefix("one lru") } == ["one lru 1 hung", "one lru 2 hung"])
        #expect(trials.count { $0.hasPrefix("one sieve") } == 4)
        let description = try ResultFolder.readRun(at: run.output)
        #expect(description.leftOut.map(\.what) == ["one, lru, repetition 3", "one, lru, repetition 4"])
        #expect(description.leftOut.allSatisfy { $0.reason == "it had hung twice" } && !description.partial)
    }

    @Test func `finished trials of a cancelled run are not run again`() async throws {
        let run = try run()
        let running = Task {
            try await run.carryOut { identity in
                if identity.repetition == 2 { withUnsafeCurrentTask { $0?.cancel() } }
                return .completed
            }
        }
        _ = try await running.value
        #expect(try run.trials() == ["one lru 1 completed", "one sieve 1 completed"])
        #expect(try ResultFolder.readRun(at: run.output).partial)
        let code = try await run.carryOut(resume: true) { $0.repetition == 2 ? .completed : .crashed }
        #expect(code == 0)
        #expect(try run.trials().count == 4)
        #expect(try !ResultFolder.readRun(at: run.output).partial)
    }

    // They were mixed without a word.
    @Test(arguments: [
        ("build", "build_configuration", "\"other\"", "build"), ("compiler", "swift_version", "\"5.0\"", "build"),
        ("allocator", "allocator", "\"other\"", "build"), ("cores", "cores", "4711", "machine"),
    ])
    func `a run is not continued by another build or on another machine, unless that is allowed`(
        key: String, field: String, value: String, kind: String
    ) async throws {
        let shown = value.filter { $0 != "\"" }
        let folder = try TemporaryFolder()
        let file = try folder.write(
            SmallScenario.text(strategies: "lru", mix: "read: 1", operations: 100), to: "small.yaml")
        let output = "\(folder.path)/out"
        let run = ["run", file, "--quiet", "--repetitions", "2", "--output", output]
        #expect(await Program.here(run, trials: ScriptedChildren.completing).exitCode == 0)
        let before = try ResultFolder.read(at: output).count
        let text = try String(contentsOfFile: "\(output)/run.json", encoding: .utf8)
        let pattern = try Regex("\"\(field)\" : [^,\n]+")
        try text.replacing(pattern, with: "\"\(field)\" : \(value)")
            .write(toFile: "\(output)/run.json", atomically: true, encoding: .utf8)
        let resumed = run.map { $0 == "2" ? "3" : $0 } + ["--resume"]
        let refused = await Program.here(resumed, trials: ScriptedChildren.completing)
        #expect(refused.exitCode == 65)
        #expect(
            refused.errors.contains("\(key): \(shown) when it began, ")
                && refused.errors.contains("To continue anyway: --allow-different \(kind)"), "\(refused.errors)")
        #expect(try ResultFolder.read(at: output).count == before)
        let allowed = await Program.here(
            resumed + ["--allow-different", kind], trials: ScriptedChildren.completing)
        #expect(allowed.exitCode == 0, "\(allowed.errors)")
        #expect(allowed.errors.contains("warning: continued with another \(kind): \(key): \(shown) when it began, "))
        #expect(try ResultFolder.read(at: output).count > before)
        let warnings = try ResultFolder.readRun(at: output).noise?.warnings ?? []
        #expect(warnings.contains { $0.hasPrefix("continued with another \(kind)") })
    }

    // The rows of the first strategy stayed, and its counts were no longer exact: a gate on them passed.
    @Test func `a run that continues with other strategies still describes the earlier ones`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            SmallScenario.text(strategies: "lru", mix: "load: 1", operations: 100), to: "small.yaml")
        let run = ["run", file, "--quiet", "--repetitions", "1", "--output", "\(folder.path)/out", "--strategies"]
        #expect(await Program.here(run + ["lru,barrier-nscache"], trials: ScriptedChildren.completing).exitCode == 0)
        let before = try ResultFolder.readRun(at: "\(folder.path)/out")
        let more = await Program.here(run + ["sieve", "--resume"], trials: ScriptedChildren.completing)
        #expect(more.exitCode == 0, "\(more.errors)")
        let after = try ResultFolder.readRun(at: "\(folder.path)/out")
        #expect(Set(after.strategies) == ["lru", "barrier-nscache", "sieve"])
        #expect(after.backgroundStrategies == ["barrier-nscache"])
        #expect(!before.exactPhases.isEmpty && after.exactPhases.isStrictSuperset(of: before.exactPhases))
    }

    // All rows were completed, and the gate passed.
    @Test func `a check whose histories were not judged fails as a measurement`() async throws {
        var run = try run()
        run.check = true
        run.judges = false
        #expect(try await run.carryOut() == 2)
        let gate = try #require(try run.verdict().gates.first { $0.name == "measured" })
        #expect(!gate.passed && gate.reason.contains("its history was not judged"), "\(gate.reason)")
    }

    @Test func `a check whose trials of a strategy were all slow has judged nothing`() async throws {
        var run = try run()
        run.check = true
        #expect(try await run.carryOut { $0.strategy == "lru" && $0.repetition == 1 ? .slow : .completed } == 0)
        run.output += "-again"
        #expect(try await run.carryOut { $0.strategy == "lru" ? .slow : .completed } == 2)
        let gate = try #require(try run.verdict().gates.first { $0.name == "measured" })
        #expect(!gate.passed && gate.reason.hasPrefix("lru in one: every trial was too slow"), "\(gate.reason)")
    }

    @Test func `results are never overwritten`() async throws {
        let run = try run()
        #expect(try await run.carryOut() == 0)
        let before = try run.trials()
        #expect(try await run.carryOut { _ in .crashed } == 2)
        #expect(try run.trials() == before)
    }

    @Test func `harness trouble keeps the finished results`() async throws {
        let run = try run()
        let code = try await run.carryOut { identity in
            if identity.repetition == 2 { throw HarnessError("no descriptors") }
            return .completed
        }
        #expect(code == 2)
        #expect(try run.trials().count == 2)
        #expect(try run.verdict().gates.contains { $0.name == "harness" && $0.reason == "no descriptors" })
    }

    @Test(arguments: ["trials.csv", "latency.csv", "run.json"])
    func `a damaged folder is not resumed`(file: String) async throws {
        let run = try run()
        #expect(try await run.carryOut() == 0)
        let path = "\(run.output)/\(file)"
        try Data("\u{0}garbage,\"\n".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try await run.carryOut(resume: true) != 0)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "\u{0}garbage,\"\n")
    }

    @Test func `a strategy that breaks a promise fails a checked run`() async throws {
        var run = try run()
        run.check = true
        run.finding.verdict = .inconsistent
        run.finding.violations = 1
        #expect(try await run.carryOut() == 3)
        #expect(try run.verdict().gates.contains { $0.name == "consistency" && !$0.passed })
    }

    @Test func `a control is probed for its own fault alone, and a strategy for all promises`() async throws {
        var run = try run()
        run.check = true
        let probed = Locked<[String: Set<Promise>]>([:])
        run.onProbe = { probe in
            probed.withLock { _ = $0[probe.strategy, default: []].insert(probe.promise) }
        }
        #expect(try await run.carryOut() == 0)
        let seen = probed.withLock { $0 }
        #expect(seen["leaky-loads"] == [.noLeakedLoad])
        #expect(seen["stale"] == nil)
        #expect(seen["lru"]?.count ?? 0 > 10, "\(seen)")
    }

    @Test func `a check that misses its controls is not trusted, and runs no trial`() async throws {
        var run = try run()
        run.check = true
        run.catchesControls = false
        #expect(try await run.carryOut() == 2)
        #expect(try run.verdict().gates.contains { $0.name == "controls" && !$0.passed })
        #expect(try run.trials().isEmpty)
    }
}
