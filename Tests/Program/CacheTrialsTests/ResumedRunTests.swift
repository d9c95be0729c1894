import BuiltInStrategies
import CacheStrategies
import Foundation
import Reports
import Testing
import TrialTestSupport

@testable import CacheTrials
@testable import TimedStrategies
@testable import TrialModel
@testable import TrialSessions

/// What a command changes in the folder of the run that it continues, and what it says of that run.
@Suite(.timeLimit(.minutes(1)))
struct ResumedRunTests {
    private let folder: TemporaryFolder
    private var output: String { "\(folder.path)/out" }

    init() throws { folder = try TemporaryFolder() }

    private static let text = SmallScenario.text(strategies: "lru, sieve", mix: "load: 1", operations: 100)

    private func command(_ more: String...) throws -> [String] {
        ["run", "\(folder.path)/small.yaml", "--quiet", "--output", output] + more
    }

    /// The digests of all files of the folder, by path.
    private func digests() throws -> [String: String] {
        var digests: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: output) {
            let path = "\(output)/\(name)"
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            if !isFolder.boolValue { digests[name] = try FileDigest.sha256(ofFile: path) }
        }
        return digests
    }

    private func edit(_ name: String, _ change: (String) -> String) throws {
        let text = try String(contentsOfFile: "\(output)/\(name)", encoding: .utf8)
        try change(text).write(toFile: "\(output)/\(name)", atomically: true, encoding: .utf8)
    }

    // Every row was deleted first, since no trial had a row for each phase of the file as it was now.
    @Test(arguments: [
        ([], "phases:", "phases:\n  - { name: more, operations: 10, mix: { load: 1 } }"),
        (["--seed", "8"], "", ""), (["--smoke"], "", ""), (["--turns"], "", ""),
        ([], "title:", "check: true\ntitle:"),
    ])
    func `a run that can't be continued stays as it is`(options: [String], old: String, new: String) async throws {
        _ = try folder.write(Self.text, to: "small.yaml")
        #expect(await Program.here(try command(), trials: ScriptedChildren.completing).exitCode == 0)
        // A row that a repair would drop.
        try edit("latency.csv") { $0 + "torn" }
        let before = try digests()
        #expect(before.count > 6)
        if !old.isEmpty { _ = try folder.write(Self.text.replacing(old, with: new), to: "small.yaml") }
        let ending = await Program.here(
            try command("--resume") + options, trials: ScriptedChildren.completing)
        #expect(ending.exitCode == 65 && ending.errors.contains("can't be continued"), "\(ending.errors)")
        #expect(try digests() == before)
    }

    @Test func `a run of another build stays as it is`() async throws {
        _ = try folder.write(Self.text, to: "small.yaml")
        #expect(await Program.here(try command(), trials: ScriptedChildren.completing).exitCode == 0)
        try edit("latency.csv") { $0 + "torn" }
        try edit("run.json") { $0.replacing(/"build_configuration" : "[a-z]+"/, with: #""build_configuration" : "x""#) }
        let before = try digests()
        let ending = await Program.here(try command("--resume"), trials: ScriptedChildren.completing)
        #expect(ending.exitCode == 65 && ending.errors.contains("--allow-different build"), "\(ending.errors)")
        #expect(try digests() == before)
    }

    @Test func `a run without its description stays as it is`() async throws {
        _ = try folder.write(Self.text, to: "small.yaml")
        #expect(await Program.here(try command(), trials: ScriptedChildren.completing).exitCode == 0)
        try FileManager.default.removeItem(atPath: "\(output)/run.json")
        let before = try digests()
        let ending = await Program.here(try command("--resume"), trials: ScriptedChildren.completing)
        #expect(ending.exitCode != 0)
        #expect(try digests() == before)
    }

    /// Interrupts a run of two strategies, twice each, before the trial of a strategy and repetition.
    private func interrupt(_ more: [String] = [], before strategy: String, _ repetition: Int) async throws {
        let signals = ScriptedSignals()
        let children = ScriptedChildren { trial in
            if trial.identity.strategy == strategy, trial.identity.repetition == repetition {
                try await signals.interrupt()
            }
            return .completed
        }
        let ending = await Program.here(
            try command("--repetitions", "2") + more, trials: children.start, signals: signals.stream)
        #expect(ending.exitCode == 130, "\(ending.errors)")
    }

    private func left() throws -> [String] {
        let run = try ResultFolder.readRun(at: output)
        #expect(run.leftOut.allSatisfy { $0.reason == "an earlier command left it out" })
        return run.leftOut.map(\.what)
    }

    // It called itself whole.
    @Test func `a run that continues with fewer strategies names the trials that are missing`() async throws {
        _ = try folder.write(Self.text, to: "small.yaml")
        try await interrupt(before: "sieve", 1)
        #expect(try left().isEmpty)
        let few = try command("--repetitions", "2", "--strategies", "lru", "--resume")
        let ending = await Program.here(few, trials: ScriptedChildren.completing)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(try left() == ["small, sieve, repetition 1", "small, sieve, repetition 2"])
        #expect(ending.errors.contains("Not run, because an earlier command left it out: small, sieve, repetition 1"))
        let rest = await Program.here(
            try command("--repetitions", "2", "--resume"), trials: ScriptedChildren.completing)
        #expect(rest.exitCode == 0, "\(rest.errors)")
        #expect(try left().isEmpty)
        #expect(try ResultFolder.read(at: output).count == 8)
    }

    @Test func `what an interrupted run had finished is not missing`() async throws {
        _ = try folder.write(Self.text, to: "small.yaml")
        try await interrupt(before: "lru", 2)
        let few = try command("--repetitions", "2", "--strategies", "lru", "--resume")
        #expect(await Program.here(few, trials: ScriptedChildren.completing).exitCode == 0)
        let done = Set(try ResultFolder.read(at: output).map(\.trial.key.trial.label))
        #expect(done.contains("small, sieve, repetition 1"))
        #expect(try Set(left()).isDisjoint(with: done))
        #expect(try left().allSatisfy { $0 == "small, sieve, repetition 2" })
    }

    @Test func `fewer scenarios and repetitions are named as well, also after another interruption`() async throws {
        _ = try folder.write(Self.text, to: "small.yaml")
        let other = try folder.write(Self.text, to: "other.yaml")
        try await interrupt([other], before: "lru", 1)
        try await interrupt(["--strategies", "lru", "--resume"], before: "lru", 2)
        let one = try command("--repetitions", "1", "--strategies", "lru", "--resume")
        #expect(await Program.here(one, trials: ScriptedChildren.completing).exitCode == 0)
        #expect(
            try Set(left()) == [
                "small, sieve, repetition 1", "small, sieve, repetition 2", "small, lru, repetition 2",
                "other, lru, repetition 1", "other, lru, repetition 2", "other, sieve, repetition 1",
                "other, sieve, repetition 2",
            ])
    }

    // A strategy without the call had the optimum of the others, which is of other operations.
    @Test func `the optimum of a strategy is that of the operations that it gets`() async throws {
        var memoizer = try #require(StrategyRegistry.builtIn["sieve"])
        memoizer.available = { .nothingBeside }
        let lru = try #require(StrategyRegistry.builtIn["lru"])
        func optima(_ mix: OperationMix) async throws -> [Double?] {
            var scenario = ScriptedRun.scenario("one")
            scenario.phases[0].mix = mix
            scenario.phases[0].length = .operations(1_000)
            let results = try ResultFolder.create(at: "\(folder.path)/\(UUID().uuidString)")
            let session = RunSession(
                plan: RunPlan(scenarios: [scenario], strategies: { _ in [lru, memoizer] }, repetitions: 1),
                folder: results, progress: RunProgress(total: 2, style: .quiet), registry: .builtIn, budget: nil
            ) {
                try TrialRunner(
                    programs: [ChildProgram("scripted", start: ScriptedChildren.completing)], deadline: nil)
            }
            _ = try await session.run()
            return results.contents.results.map { $0.hitRate?.optimalHitRatio }
        }
        let mixed = try await optima(OperationMix([.load: 1, .remove: 1]))
        let loads = try await optima(OperationMix([.load: 2]))
        #expect(
            mixed.count == 2 && mixed[0] != nil && mixed[1] == loads[0] && mixed[0] != mixed[1], "\(mixed) \(loads)")
    }
}
