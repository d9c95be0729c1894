import Foundation
import HistoryChecking
import Reports
import TestTiers
import Testing
import TrialModel
import TrialSessions

/// `check`, as a user starts it.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct CheckedRunTests {
    /// Four clients on few keys: every kind of operation meets every other kind.
    static func scenario(check: Bool = false, origin: String = "server", duration: String? = nil) -> String {
        """
        title: A small one for tests
        seed: 7
        repetitions: 1
        keys: { kind: string, count: 80, popularity: { zipf: 1.0 } }
        values: { kind: bytes, size: 512 B }
        capacity: { entries: 40 }
        origin: { kind: \(origin), delay: 200 us }
        strategies: [lru, actor]
        check: \(check)
        phases:
          - { name: warm-up, warm-up: true, operations: 200, clients: 2, mix: { load: 1 } }
          - name: mixed
            \(duration.map { "duration: \($0)" } ?? "operations: 4000")
            clients: 4
            mix: { read: 5, load: 3, write: 2, remove: 1 }

        """
    }

    /// Runs a scenario and returns the rows about promises.
    private static func run(
        _ text: String, _ arguments: String..., verb: String = "check", exitCode: Int32 = 0
    ) async throws -> (rows: [ConsistencyRow], ending: Program.Ending, folder: TemporaryFolder) {
        let folder = try TemporaryFolder()
        let file = try folder.write(text, to: "small.yaml")
        let output = "\(folder.path)/out"
        let orders = verb == "check" ? ["--orders", "200"] : []
        let ending = try await Program.start([verb, file, "--quiet", "--output", output] + orders + arguments).ending()
        #expect(ending.exitCode == exitCode, "\(ending.errors)")
        return (try ResultFolder.readConsistency(at: output), ending, folder)
    }

    private static func gate(_ name: String, _ folder: TemporaryFolder) throws -> VerdictGate? {
        try ResultFolder.readVerdict(at: "\(folder.path)/out").gates.first { $0.name == name }
    }

    @Test(.nightly) func `a check passes a sound strategy over HTTP, and catches and draws a control`() async throws {
        let (rows, ending, folder) = try await Self.run(Self.scenario(), "--strategies", "actor,stale")
        #expect(rows.allSatisfy { $0.trial.strategy == "stale" || $0.verdict != .inconsistent })
        // The request log came from the fixture server's own process.
        let shared = try #require(rows.first { $0.promise == .singleFlight && $0.trial.strategy == "actor" })
        #expect(shared.verdict == .consistent && shared.operationsChecked > 0)
        let stale = try #require(rows.first { $0.promise == .freshness && $0.trial.strategy == "stale" })
        #expect(stale.verdict == .inconsistent)
        #expect(ending.output.contains("Guarantees") && ending.output.contains("├"))
        #expect(ending.errors.contains("Interleavings: 200 each of actor, stale"))
        #expect(ending.output.contains("stale violated freshness in small, "))
        let file = "\(folder.path)/out/consistency/small-stale-1-freshness.json"
        let example = try JSONDecoder().decode(
            Counterexample.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
        #expect(example.events.count >= 3)
        #expect(
            try String(contentsOfFile: "\(folder.path)/out/junit.xml", encoding: .utf8).contains("guarantee freshness"))
        #expect(try Self.gate("consistency", folder)?.passed == true)
        #expect(try Self.gate("controls", folder)?.passed == true)
    }

    /// Runs scripted trials of a scenario, and returns the rows about promises.
    private static func script(
        _ text: String, _ arguments: String...
    ) async throws -> (rows: [ConsistencyRow], folder: TemporaryFolder) {
        let folder = try TemporaryFolder()
        let file = try folder.write(text, to: "small.yaml")
        let run = ["run", file, "--quiet", "--output", "\(folder.path)/out"] + arguments
        let ending = await Program.here(run, trials: ScriptedChildren.completing)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        return (try ResultFolder.readConsistency(at: "\(folder.path)/out"), folder)
    }

    @Test(.nightly) func `sound strategies keep their limits when entries are overwritten with another cost`()
        async throws
    {
        let text = Self.scenario()
            .replacing("size: 512 B", with: "size: { uniform: { min: 100 B, max: 4 KiB } }, changes: true")
            .replacing("entries: 40", with: "bytes: 64 KiB")
        let (rows, _, folder) = try await Self.run(text, "--strategies", "lru,actor,disk")
        #expect(rows.allSatisfy { $0.verdict != .inconsistent })
        let limits = rows.filter { $0.promise == .limits }
        #expect(limits.map(\.verdict) == [.consistent, .consistent, .consistent])
        // The probe alone checks a few facts; the rest are entries that were found after the trial.
        #expect(limits.allSatisfy { $0.operationsChecked > 20 })
        #expect(try ResultFolder.read(at: "\(folder.path)/out").allSatisfy { $0.trial.wrongAnswers == 0 })
    }

    @Test func `the scenario's key requests the check as well`() async throws {
        let (rows, folder) = try await Self.script(Self.scenario(check: true, origin: "memory"))
        #expect(!rows.isEmpty)
        #expect(try ResultFolder.readRun(at: "\(folder.path)/out").check == true)
    }

    @Test func `without the flag nothing is checked, and there is no file`() async throws {
        let (rows, folder) = try await Self.script(Self.scenario(origin: "memory"))
        #expect(rows.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/out/consistency.csv"))
        #expect(try Self.gate("consistency", folder) == nil)
    }

    #if os(Linux)
        @Test(.nightly) func `the table says that a full NSCache admits nothing`() async throws {
            let (rows, ending, _) = try await Self.run(
                Self.scenario(origin: "memory"), "--strategies", "barrier-nscache,lru")
            let admission = rows.filter { $0.promise == .admission }
            #expect(admission.map(\.violations) == [40, 0])
            #expect(admission[0].example.hasPrefix("not declared: 0 of 40 new entries"))
            #expect(ending.output.contains("0 of 40"))
            #expect(ending.output.contains("40 of 40"))
        }
    #endif

    @Test func `Ctrl-C keeps finished rows, and --resume continues`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.scenario(origin: "memory"), to: "small.yaml")
        let output = "\(folder.path)/out"
        let arguments = [file, "--quiet", "--output", output, "--repetitions", "3"]
        let signals = ScriptedSignals()
        let interrupted = await Program.here(
            ["check"] + arguments,
            trials: ScriptedChildren { trial in
                if trial.identity.repetition == 2 { try await signals.interrupt() }
                return .completed
            }.start, signals: signals.stream)
        #expect(interrupted.exitCode == 130)
        let kept = try ResultFolder.readConsistency(at: output)
        let trials = Set(try ResultFolder.read(at: output).map(\.trial.key.trial))
        #expect(Set(kept.map(\.trial)) == trials)
        #expect(trials.count == 2)

        let rest = await Program.here(["check"] + arguments + ["--resume"], trials: ScriptedChildren.completing)
        #expect(rest.exitCode == 0, "\(rest.errors)")
        let all = try ResultFolder.readConsistency(at: output)
        #expect(Set(all.map(\.trial)).count == 6)
        #expect(Array(all.prefix(kept.count)) == kept)

        let other = await Program.here(["run"] + arguments + ["--resume"], trials: ScriptedChildren.completing)
        #expect(other.exitCode == 65)
        #expect(other.errors.contains("it is of another verb"))
    }

    @Test func `a probe that is started by hand explains its purpose`() async throws {
        let probe = try Program.start(["probe"])
        probe.closeInput()
        let ending = await probe.ending()
        #expect(ending.exitCode == 64)
        #expect(ending.errors.contains("'probe' is started by 'check'"))
    }
}
