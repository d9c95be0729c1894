import Foundation
import Races
import Reports
import Testing
import TrialModel
import TrialTestSupport

@testable import CacheTrials
@testable import TrialSessions

/// `races` that is interrupted.
@Suite(.timeLimit(.minutes(1)))
struct InterruptedRacesTests {
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
        work.settings = try .scripted()
        // No run shows a race. It is interrupted at the second control.
        let children: StartChild = { call in
            guard call.request(RaceControl.self)?.name != RaceControls.all[0].name else {
                return ChildEnding(.exited(0))
            }
            sent.yield(SIGINT)
            while !Task.isCancelled { await Task.yield() }
            throw CancellationError()
        }
        let surroundings = Surroundings(program: "", startChild: children, signals: signals) { _, _ in }
        let code = try await Surroundings.$current.withValue(surroundings) { [work] in
            try await work.carryOut(format: .table)
        }
        #expect(code == .interrupted)
        let page = try String(contentsOfFile: "\(output)/evidence/controls.md", encoding: .utf8)
        #expect(page.contains(RaceControls.all[0].name) && !page.contains(RaceControls.all[1].name))
        #expect(try ResultFolder.readRun(at: output).partial)
    }
}
