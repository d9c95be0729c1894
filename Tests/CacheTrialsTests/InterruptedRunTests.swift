import Foundation
import Testing

/// Runs that are interrupted: finished results are kept, no process is left behind, and `--resume` completes them.
@Suite(
    .timeLimit(.minutes(10)), .serialized, .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/environ")))
struct InterruptedRunTests {
    /// When a run is interrupted.
    enum Moment: String, CaseIterable, Sendable {
        case folderMade, firstTrial, thirdTrial, fifthTrial

        func hasCome(_ run: DisturbedRun, _ program: RunningProgram) throws -> Bool {
            switch self {
            case .folderMade: FileManager.default.fileExists(atPath: "\(run.output)/trials.csv")
            case .firstTrial: try !program.children(running: "trial").isEmpty
            case .thirdTrial: try run.rows().count >= 6
            case .fifthTrial: try run.rows().count >= 12
            }
        }
    }

    @Test(arguments: zip(Moment.allCases, [SIGTERM, SIGINT, SIGTERM, SIGINT]))
    func `a signal keeps finished results, and the run can be resumed`(
        moment: Moment, signal: Int32
    ) async throws {
        let run = try DisturbedRun()
        let program = try run.start()
        try await eventually { try moment.hasCome(run, program) }
        program.send(signal: signal)
        let ending = await program.ending()
        // Before the first trial there is nothing to end, and the signal has its default effect; shells make 130 of
        // it.
        let isEarly = moment == .folderMade && ending.exitCode == signal
        // The signal of a busy machine may come when all trials have ended.
        let isLate = try moment == .fifthTrial && ending.exitCode == 0 && run.rows().count == DisturbedRun.rowCount
        #expect(ending.exitCode == 128 + signal || isEarly || isLate, "\(ending.errors)")
        try await run.expectOrder()
        try await run.expectResumed()
    }

    @Test func `a second Ctrl-C ends a run at once, and leaves no process behind`() async throws {
        let run = try DisturbedRun()
        let program = try run.start()
        try await eventually { try !program.children(running: "trial").isEmpty }
        program.send(signal: SIGINT)
        program.send(signal: SIGINT)
        let ending = await program.ending()
        #expect(ending.exitCode == 130)
        try await run.expectOrder()
        try await run.expectResumed()
    }

    @Test func `a killed run leaves no process behind, and can be resumed`() async throws {
        let run = try DisturbedRun()
        let program = try run.start()
        try await eventually { try run.rows().count >= 3 && !program.children(running: "trial").isEmpty }
        program.send(signal: SIGKILL)
        _ = await program.ending()
        try await run.expectOrder()
        try await run.expectResumed()
    }

    @Test func `a fixture server that dies is restarted, and no strategy is blamed`() async throws {
        let run = try DisturbedRun()
        let program = try run.start()
        try await eventually { try run.rows().count >= 3 && !program.children(running: "trial").isEmpty }
        try program.children(running: "serve").forEach { kill($0, SIGKILL) }
        let ending = await program.ending()
        let rows = try run.rows()
        #expect(!rows.contains { $0["status"] == "crashed" || $0["status"] == "hung" }, "\(rows)")
        #expect(ending.exitCode == (rows.contains { $0["status"] != "completed" } ? 2 : 0), "\(ending.errors)")
        #expect(rows.suffix(6).allSatisfy { $0["status"] == "completed" }, "\(rows)")
        try await run.expectOrder()
        try await run.expectResumed()
    }
}
