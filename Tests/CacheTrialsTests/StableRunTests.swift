import Foundation
import Reports
import Testing
import TrialModel

/// `run --until-stable`, with real trials.
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
        let ending = try await Program.start(["run", file, "--output", output, "--quiet"] + arguments).ending()
        return (ending, try ResultFolder.readRun(at: output), try ResultFolder.read(at: output).map(\.trial))
    }

    @Test func `repetitions end as soon as every figure is known closely enough`() async throws {
        let (ending, description, trials) = try await run(
            "--until-stable", "--stable-within", "50%", "--max-repetitions", "30")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        // Six is the least that says anything.
        #expect(trials.count >= 12 && trials.count < 60)
        let counts = Dictionary(grouping: trials, by: \.key.trial.strategy).mapValues(\.count)
        #expect(Set(counts.values).count == 1)
        #expect(description.stability?.open == [])
        #expect(!description.partial)
        #expect(ending.errors.contains("Every figure is stable."))
    }

    @Test func `what stays open at the limit is named`() async throws {
        let (ending, description, trials) = try await run(
            "--until-stable", "--stable-within", "0.5%", "--max-repetitions", "6")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(trials.count == 12)
        #expect(description.stability?.open.isEmpty == false)
        #expect(ending.errors.contains("open: "))
    }

    @Test func `every run leaves JUnit XML`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.scenario, to: "small.yaml")
        let output = "\(folder.path)/out"
        let ending = try await Program.run("run", file, "--output", output, "--quiet", "--smoke")
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
        #expect(try await Program.start(["run", "Scenarios/scan.yaml"] + arguments).ending().exitCode == 64)
    }
}
