import Foundation
import Reports
import Testing
import TrialModel
import TrialSessions

/// `run --until-stable`.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct StableRunTests {
    private static let scenario = """
        title: A small one for tests
        seed: 7
        repetitions: 1
        keys: { kind: integer, count: 300, popularity: uniform }
        values: { kind: bytes, size: 64 B }
        capacity: { entries: 50 }
        origin: { kind: memory }
        strategies: [lru, none]
        phases:
          - { name: main, operations: 2000, clients: 1, mix: { load: 1 } }

        """

    private func run(_ arguments: String...) async throws -> (Program.Ending, RunDescription, [TrialRow]) {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.scenario, to: "small.yaml")
        let output = "\(folder.path)/out"
        let ending = await Program.here(
            ["run", file, "--output", output, "--quiet"] + arguments, trials: ScriptedChildren.completing)
        return (ending, try ResultFolder.readRun(at: output), try ResultFolder.read(at: output).map(\.trial))
    }

    @Test func `repetitions end as soon as every figure is precise enough`() async throws {
        let (ending, description, trials) = try await run(
            "--until-stable", "--stable-within", "50%", "--max-repetitions", "200")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        // Six is the smallest number that gives an interval, and scripted figures are always the same.
        #expect(trials.count == 12)
        let counts = Dictionary(grouping: trials, by: \.key.trial.strategy).mapValues(\.count)
        #expect(Set(counts.values).count == 1)
        #expect(description.stability?.open == [])
        #expect(!description.partial)
        #expect(ending.errors.contains("Every figure is stable."))
    }

    @Test func `figures that are still open at the limit are named`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.scenario, to: "small.yaml")
        let output = "\(folder.path)/out"
        let ending = await Program.here(
            "run", file, "--output", output, "--quiet", "--until-stable", "--stable-within", "0.5%",
            "--max-repetitions", "6", trials: ScriptedChildren.noisy)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(try ResultFolder.read(at: output).count == 12)
        #expect(try ResultFolder.readRun(at: output).stability?.open.isEmpty == false)
        #expect(ending.errors.contains("open: "))
    }

    @Test func `Ctrl-C keeps finished trials, and --resume continues to the same end`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.scenario, to: "small.yaml")
        let output = "\(folder.path)/out"
        let run = [
            "run", file, "--quiet", "--output", output, "--until-stable", "--stable-within", "50%",
            "--max-repetitions", "8",
        ]
        let signals = ScriptedSignals()
        let interrupted = await Program.here(
            run,
            trials: ScriptedChildren { trial in
                if trial.identity.repetition == 3 { try await signals.interrupt() }
                return .completed
            }.start, signals: signals.stream)
        #expect(interrupted.exitCode == 130)
        #expect(try ResultFolder.readRun(at: output).partial)
        let kept = try records(of: "\(output)/trials.csv")
        #expect(kept.count == 4)

        let rest = await Program.here(run + ["--resume"], trials: ScriptedChildren.completing)
        #expect(rest.exitCode == 0, "\(rest.errors)")
        let all = try records(of: "\(output)/trials.csv")
        #expect(all.count == 12 && Array(all.prefix(kept.count)) == kept)
        #expect(try !ResultFolder.readRun(at: output).partial)
    }

    @Test func `every run writes JUnit XML`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.scenario, to: "small.yaml")
        let output = "\(folder.path)/out"
        let ending = await Program.here(
            "run", file, "--output", output, "--quiet", "--smoke", trials: ScriptedChildren.completing)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let junit = try String(contentsOfFile: "\(output)/junit.xml", encoding: .utf8)
        #expect(junit.contains("failures=\"0\"") && junit.contains("classname=\"small.lru\""))
        #expect(try ResultFolder.readRun(at: output).scenarios.first?.exactPhases == ["main"])
    }

    @Test(arguments: [
        ["--stable-within", "5%"], ["--max-repetitions", "9"], ["--until-stable", "--smoke"],
        ["--until-stable", "--stable-within", "90%"], ["--until-stable", "--max-repetitions", "3"],
    ])
    func `wrong usage exits with 64`(arguments: [String]) async throws {
        #expect(await Program.here(["run", "Scenarios/scan.yaml"] + arguments).exitCode == 64)
    }
}
