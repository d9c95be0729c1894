import Foundation
import Reports
import TestTiers
import Testing
import TrialModel

/// Runs that are interrupted: finished results are kept, no process is left behind, and `--resume` completes them. Each
/// test holds the run, so that it can't go on before it is interrupted.
@Suite(
    .timeLimit(.minutes(10)), .serialized, .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/environ")))
struct InterruptedRunTests {
    // The number of rows before the signal: each trial has three.
    @Test(arguments: TestTier.isNightly ? [(0, SIGTERM), (6, SIGINT), (12, SIGTERM)] : [(3, SIGINT)])
    func `a signal keeps finished results, and the run can be resumed`(rows: Int, signal: Int32) async throws {
        let run = try DisturbedRun()
        let (program, _) = try await run.startHeld(rows: rows)
        program.send(signal: signal)
        let ending = await program.ending()
        #expect(ending.exitCode == 128 + signal, "\(ending.errors)")
        #expect(try run.rows().count >= rows)
        try await run.expectOrder()
        try await run.expectResumed()
    }

    // `nohup` did not protect a run: it trapped the signal that was ignored.
    @Test func `a signal that was ignored at the start does not end a run`() async throws {
        let run = try DisturbedRun()
        let (program, _) = try await run.startHeld(shell: #"trap "" HUP; exec "$@""#)
        program.send(signal: SIGHUP)
        program.send(signal: SIGINT)
        let ending = await program.ending()
        // SIGHUP would have ended it with 143.
        #expect(ending.exitCode == 130, "\(ending.errors)")
        try await run.expectOrder()
    }

    @Test(.nightly) func `a signal before the first trial ends a run, and it can be resumed`() async throws {
        let run = try DisturbedRun()
        let program = try run.start()
        await eventually { FileManager.default.fileExists(atPath: "\(run.output)/trials.csv") }
        program.send(signal: SIGTERM)
        let ending = await program.ending()
        // The signal has its default effect when the program has not yet installed its handlers, and comes too late for
        // a run that is over.
        #expect([SIGTERM, 128 + SIGTERM, 0].contains(ending.exitCode), "\(ending.errors)")
        try await run.expectOrder()
        try await run.expectResumed()
    }

    @Test(.nightly) func `a second Ctrl-C ends a run at once, and leaves no process behind`() async throws {
        let run = try DisturbedRun()
        let (program, trial) = try await run.startHeld()
        program.send(signal: SIGINT)
        program.send(signal: SIGINT)
        let ending = await program.ending()
        #expect(ending.exitCode == 130)
        // The kernel continues a stopped process whose parent is gone; on its own it may not have been stopped long.
        kill(trial, SIGCONT)
        try await run.expectOrder()
        try await run.expectResumed()
    }

    @Test(.nightly) func `a killed run leaves no process behind, and can be resumed`() async throws {
        let run = try DisturbedRun()
        let (program, trial) = try await run.startHeld(rows: 3)
        // From now on the run is stopped and its trial works.
        program.send(signal: SIGSTOP)
        kill(trial, SIGCONT)
        program.send(signal: SIGKILL)
        _ = await program.ending()
        try await run.expectOrder()
        try await run.expectResumed()
    }

    // The stops are what is tested, so they take real time.
    @Test(.nightly) func `an open phase whose process is stopped for a tenth of the time is invalid`() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write(
            """
            title: A machine that stalls
            keys: { kind: integer, count: 1000, popularity: { zipf: 1.0 } }
            values: { kind: bytes, size: 64 B }
            capacity: { entries: 500 }
            origin: { kind: memory }
            strategies: [lru]
            phases:
              - { name: open, duration: 5 s, clients: 2, arrival: { poisson: 5000 }, mix: { load: 1 } }

            """, to: "stalls.yaml")
        let program = try Program.start(
            ["run", "stalls.yaml", "--repetitions", "1", "--output", "out", "--quiet"], in: folder.path)
        let stalls = Task {
            while program.isRunning {
                let trials = program.children(running: "trial")
                for trial in trials { kill(trial, SIGSTOP) }
                try await Task.sleep(for: .milliseconds(trials.isEmpty ? 5 : 100))
                for trial in trials { kill(trial, SIGCONT) }
                if !trials.isEmpty { try await Task.sleep(for: .milliseconds(900)) }
            }
        }
        let ending = await program.ending()
        try await stalls.value
        let row = try #require(try ResultFolder.read(at: "\(folder.path)/out").first).trial
        #expect(row.status == .invalid && row.latenessP99Nanoseconds ?? 0 > 10_000_000, "\(row)")
        #expect(row.reason.contains("the machine was too busy"))
        #expect(ending.exitCode == 2, "\(ending.errors)")
    }

    @Test(.nightly) func `a fixture server that dies is restarted, and no strategy is blamed`() async throws {
        let run = try DisturbedRun()
        let (program, trial) = try await run.startHeld(rows: 3)
        program.children(running: "serve").forEach { kill($0, SIGKILL) }
        kill(trial, SIGCONT)
        let ending = await program.ending()
        let rows = try run.rows()
        #expect(!rows.contains { $0["status"] == "crashed" || $0["status"] == "hung" }, "\(rows)")
        #expect(ending.exitCode == (rows.contains { $0["status"] != "completed" } ? 2 : 0), "\(ending.errors)")
        try await run.expectOrder()
        try await run.expectResumed()
    }
}
