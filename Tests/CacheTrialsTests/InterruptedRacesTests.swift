import Foundation
import Races
import Reports
import Testing
import TrialModel

@testable import CacheTrials
@testable import TrialSessions

/// `races` that is interrupted.
@Suite(.timeLimit(.minutes(1)))
struct InterruptedRacesTests {
    /// No run of it shows a race. It is interrupted at the second control.
    private struct Interrupted: RaceRunner {
        let signals: AsyncStream<Int32>.Continuation

        func run(_ control: RaceControl) async throws -> SanitizedRun {
            if control.name != RaceControls.all[0].name {
                signals.yield(SIGINT)
                while !Task.isCancelled { await Task.yield() }
                throw CancellationError()
            }
            return SanitizedRun(ending: ChildEnding(.exited(0)), evidence: SanitizerEvidence(logs: []))
        }

        func run(_ trial: TrialIdentity, _ scenario: Scenario, stopsAtFirst: Bool) async throws -> SanitizedRun {
            throw CancellationError()
        }

        func close() {}
    }

    @Test func `Ctrl-C keeps the pages of what had ended`() async throws {
        let folder = try TemporaryFolder()
        let (signals, sent) = AsyncStream.makeStream(of: Int32.self)
        let output = "\(folder.path)/out"
        let scenario = ScriptedRun.scenario("one")
        var work = RaceWork(
            files: [ScenarioArguments.File(path: "one.yaml", scenario: scenario, sha256: "aa")], chosen: nil, seed: nil,
            phaseTime: .milliseconds(1),
            limits: RaceSession.Limits(repetitions: 1, controlRuns: nil, leastContended: 1), output: output,
            deadline: nil, quiet: true)
        work.runner = { Interrupted(signals: sent) }
        let surroundings = Surroundings(program: "", runner: nil, signals: signals) { _, _ in }
        let code = try await Surroundings.$current.withValue(surroundings) { [work] in
            try await work.carryOut(format: .table)
        }
        #expect(code == .interrupted)
        let page = try String(contentsOfFile: "\(output)/evidence/controls.md", encoding: .utf8)
        #expect(page.contains(RaceControls.all[0].name) && !page.contains(RaceControls.all[1].name))
        #expect(try ResultFolder.readRun(at: output).partial)
    }
}
