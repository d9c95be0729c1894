import Foundation
import Reports
import Testing
import TrialModel
import TrialSessions

/// `run --until-decided`.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct DecidedRunTests {
    private let folder: TemporaryFolder
    private var output: String { "\(folder.path)/out" }

    init() throws { folder = try TemporaryFolder() }

    private static let scenario = """
        title: A small one for tests
        seed: 7
        repetitions: 1
        keys: { kind: integer, count: 300, popularity: uniform }
        values: { kind: bytes, size: 64 B }
        capacity: { entries: 50 }
        origin: { kind: memory }
        strategies: [lru, sieve, fifo, none]
        phases:
          - { name: main, operations: 2000, clients: 1, mix: { load: 1 } }

        """

    /// Hits take 1, 1 and 2 us, and a little more in each repetition; those of `jumpy` take 1 or 1.3 us, in turns.
    private static func children(jumpy: String? = nil) -> ScriptedChildren {
        ScriptedChildren(script: { _ in .completed }) { phase, trial in
            let strategy = trial.identity.strategy
            let (repetition, isLRU) = (trial.identity.repetition, strategy == "lru")
            let time: UInt64 =
                strategy == jumpy ? [1_000, 1_300][repetition % 2] : strategy == "fifo" ? 2_000 : 1_000
            return ScriptedChildren.result(of: phase, trial, time: time + UInt64(isLRU ? repetition : 3 * repetition))
        }
    }

    /// How many repetitions each strategy has.
    private func repetitions(at output: String) throws -> [String: Int] {
        Dictionary(grouping: try ResultFolder.read(at: output), by: \.trial.key.strategy).mapValues(\.count)
    }

    private func run(_ arguments: String..., children: ScriptedChildren) async throws -> [String: Int] {
        let file = try folder.write(Self.scenario, to: "small.yaml")
        let ending = await Program.here(
            ["run", file, "--output", output, "--quiet", "--until-decided"] + arguments, trials: children.start)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let description = try ResultFolder.readRun(at: output)
        #expect(description.untilDecided == true && !description.partial)
        return try repetitions(at: output)
    }

    // Figures of different repetitions can't be compared, since each has keys of its own.
    @Test func `a scenario is repeated until it is known who is best, with all its strategies`() async throws {
        #expect(
            try await run(children: Self.children()) == ["lru": 3, "sieve": 3, "fifo": 3, "none": 3])
    }

    @Test func `an open strategy keeps its scenario repeating, up to 30 times`() async throws {
        #expect(
            try await run(children: Self.children(jumpy: "sieve")) == ["lru": 30, "sieve": 30, "fifo": 30, "none": 30])
    }

    @Test func `strategies that lack nothing but a rival are run three times, for an interval`() async throws {
        #expect(try await run("--strategies", "lru,none", children: Self.children()) == ["lru": 3, "none": 3])
    }

    @Test func `Ctrl-C keeps finished trials, and --resume continues to the same end`() async throws {
        let file = try folder.write(Self.scenario, to: "small.yaml")
        let run = ["run", file, "--quiet", "--output", output, "--until-decided", "--no-turns"]
        let signals = ScriptedSignals()
        var children = Self.children()
        children.script = { trial in
            if trial.identity.repetition == 3 { try await signals.interrupt() }
            return .completed
        }
        let interrupted = await Program.here(run, trials: children.start, signals: signals.stream)
        #expect(interrupted.exitCode == 130)
        #expect(try ResultFolder.readRun(at: output).partial)
        let kept = try records(of: "\(output)/trials.csv")
        #expect(kept.count == 8)

        let rest = await Program.here(run + ["--resume"], trials: Self.children().start)
        #expect(rest.exitCode == 0, "\(rest.errors)")
        #expect(Array(try records(of: "\(output)/trials.csv").prefix(kept.count)) == kept)
        #expect(try repetitions(at: output) == ["lru": 3, "sieve": 3, "fifo": 3, "none": 3])
        #expect(try !ResultFolder.readRun(at: output).partial)
    }

    // It was refused: a budget also made strategies take turns, and without it they don't.
    @Test(arguments: [[], ["--until-decided"], ["--turns"]])
    func `what is advised after a budget runs as it is printed`(options: [String]) async throws {
        let files = try [
            folder.write(Self.scenario, to: "small.yaml"),
            folder.write(Self.scenario.replacing("operations: 2000", with: "operations: 100000000"), to: "long.yaml"),
        ]
        let run = ["run"] + files + ["--quiet"] + options
        let cut = await Program.here(run + ["--budget", "20s"], trials: Self.children().start)
        #expect(cut.exitCode == 0, "\(cut.errors)")
        let advice = try #require(
            cut.errors.firstMatch(of: /To run them: the same command with (.+), and without --budget\./)?.1)
        let rest = await Program.here(
            run + advice.split(separator: " ").map(String.init), trials: Self.children().start)
        #expect(rest.exitCode == 0, "\(rest.errors)")
        let output = try #require(rest.errors.firstMatch(of: /Results: (.+)/)?.1)
        defer { try? FileManager.default.removeItem(atPath: String(output)) }
        #expect(try ResultFolder.readRun(at: String(output)).leftOut.isEmpty)
        #expect(
            try Set(ResultFolder.read(at: String(output)).map(\.trial.key.scenario)) == ["small", "long"])
    }

    @Test func `every run writes JUnit XML`() async throws {
        let file = try folder.write(Self.scenario, to: "small.yaml")
        let ending = await Program.here(
            "run", file, "--output", output, "--quiet", "--smoke", trials: ScriptedChildren.completing)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let junit = try String(contentsOfFile: "\(output)/junit.xml", encoding: .utf8)
        #expect(junit.contains("failures=\"0\"") && junit.contains("classname=\"small.lru\""))
        #expect(try ResultFolder.readRun(at: output).scenarios.first?.exactPhases == ["main"])
    }
}
