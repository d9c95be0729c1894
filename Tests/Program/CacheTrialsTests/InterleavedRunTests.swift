import Foundation
import Reports
import TestTiers
import Testing
import TrialModel

/// `run --turns`.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct InterleavedRunTests {
    private static let scenario = SmallScenario.text(
        strategies: "lru, actor, none", mix: "read: 2, load: 6, write: 1, remove: 1",
        operations: TestTier.isNightly ? 20_000 : 2_000)

    private func run(
        _ arguments: String..., in folder: TemporaryFolder, isScripted: Bool = false
    ) async throws -> [PhaseResult] {
        let file = try folder.write(Self.scenario, to: "small.yaml")
        let output = "\(folder.path)/out"
        let ending = await Program.here(
            ["run", file, "--quiet", "--output", output] + arguments,
            trials: isScripted ? ScriptedChildren.completing : nil)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        return try ResultFolder.read(at: output)
    }

    @Test func `interleaved strategies hit and load as they do one after the other, and have slices`() async throws {
        let (whole, turns) = (try TemporaryFolder(), try TemporaryFolder())
        let timed = try await run(in: whole)
        let interleaved = try await run("--turns", in: turns)
        #expect(interleaved.allSatisfy { $0.trial.status == .completed && $0.trial.wrongAnswers == 0 })
        func rows(_ results: [PhaseResult]) -> Set<[String]> { Set(results.compactMap(\.hitRate?.cells)) }
        #expect(rows(timed).count == 3)
        #expect(rows(interleaved) == rows(timed))
        #expect(timed.allSatisfy { $0.slices.isEmpty })
        #expect(!FileManager.default.fileExists(atPath: "\(whole.path)/out/slices.csv"))

        let measured = interleaved.filter { $0.trial.key.phase == "main" }
        #expect(Set(measured.map(\.trial.key.strategy)) == ["lru", "actor", "none"])
        for result in measured {
            // On a busy machine a strategy may seem to use the pauses, and runs alone.
            #expect(!result.slices.isEmpty || result.trial.reason.hasPrefix("alone: it used"), "\(result.trial)")
            // A turn in which a delayed client sent nothing has no slice.
            let numbers = result.slices.map(\.slice)
            #expect(numbers == Set(numbers).sorted() && (numbers.first ?? 1) >= 1)
        }
        #expect(try ResultFolder.readRun(at: "\(turns.path)/out").interleaved == true)
    }

    @Test func `a single strategy runs as it does without turns`() async throws {
        let folder = try TemporaryFolder()
        let results = try await run("--turns", "--strategies", "lru", in: folder)
        #expect(results.allSatisfy { $0.trial.reason.isEmpty && $0.slices.isEmpty }, "\(results)")
    }

    @Test(.nightly)
    func `a run says in one line which trials ran alone, and a checked one keeps the slices of others`() async throws {
        let folder = try TemporaryFolder()
        let text = Self.scenario.replacing("lru, actor, none", with: "lru, sieve")
        let files = [
            try folder.write(text, to: "plain.yaml"),
            try folder.write(text.replacing("seed: 7", with: "seed: 7\ncheck: true"), to: "checked.yaml"),
        ]
        let output = "\(folder.path)/out"
        let ending = await Program.here(["run", "--quiet", "--turns", "--output", output] + files)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let results = try ResultFolder.read(at: output).filter { $0.trial.key.phase == "main" }
        for result in results where !result.trial.reason.hasPrefix("alone: ") { #expect(!result.slices.isEmpty) }
        #expect(results.contains { !$0.slices.isEmpty }, "\(results.map(\.trial.reason))")
        #expect(!(try ResultFolder.readConsistency(at: output)).isEmpty)
        let notes = ending.errors.split(separator: "\n").filter {
            $0.hasPrefix("note: strategies alternated in slices, but ")
        }
        #expect(notes.count == 1)
        #expect(notes.first?.contains("whole trials ran one after the other in checked") == true, "\(notes)")
    }

    @Test func `a trial that is over before its first slice runs alone, and says so`() async throws {
        let folder = try TemporaryFolder()
        let text = Self.scenario.replacing("operations: \(TestTier.isNightly ? 20_000 : 2_000)", with: "operations: 1")
        let file = try folder.write(text.replacing("lru, actor, none", with: "lru, sieve"), to: "short.yaml")
        let output = "\(folder.path)/out"
        _ = await Program.here("run", file, "--quiet", "--turns", "--output", output)
        let main = try ResultFolder.read(at: output).filter { $0.trial.key.phase == "main" }
        // Whether a turn measures the only operation is the machine's; that it says so is not.
        let short = main.filter { $0.slices.isEmpty }
        #expect(
            short == main.filter { $0.trial.reason == TrialRow.aloneMark + TrialRow.shortMark }, "\(main.map(\.trial))")
        #expect(short.allSatisfy { !$0.latency.isEmpty && $0.hitRate?.lookups == 1 }, "\(short)")
    }

    @Test func `an interleaved run can be resumed, but not without interleaving`() async throws {
        let folder = try TemporaryFolder()
        let first = try await run("--turns", in: folder, isScripted: true)
        let all = try await run(
            "--turns", "--repetitions", "2", "--resume", in: folder, isScripted: true)
        #expect(all.count == 2 * first.count)
        #expect(Array(all.prefix(first.count)) == first)
        #expect(try await run("--repetitions", "2", "--resume", in: folder, isScripted: true) == all)
        let ending = await Program.here(
            "run", "\(folder.path)/small.yaml", "--quiet", "--output", "\(folder.path)/out", "--resume",
            "--no-turns",
            trials: ScriptedChildren.completing)
        #expect(ending.exitCode == 65)
        #expect(ending.errors.contains("--turns has changed"), "\(ending.errors)")
    }
}
