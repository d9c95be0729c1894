import BuiltInStrategies
import CacheStrategies
import Foundation
import Races
import Reports
import Testing
import TimedStrategies
import TrialLoop
import TrialModel
import TrialTestSupport

@testable import TrialSessions

/// How a judgement of races reports scripted outcomes of its runs.
@Suite(.timeLimit(.minutes(1)))
struct RaceSessionTests {
    private let results = try? SessionFolder(ResultFile.ofRaces)

    /// Judges a strategy under two scenarios, two runs of it in each.
    private func judge(_ races: ScriptedRaces = ScriptedRaces()) async throws -> RaceSession.Summary {
        let registry = StrategyRegistry.builtIn
        let session = RaceSession(
            subjects: try ["one", "two"].map {
                .init(
                    scenario: RunPlanTests.scenario($0), path: "\($0).yaml",
                    strategies: [try #require(registry["lru"])])
            },
            proofs: registry.unsynchronized,
            limits: .init(repetitions: 2, controlRuns: nil, leastContended: 500),
            folder: try #require(results).folder, progress: SessionFolder.progress,
            runner: {
                try RaceRunner(
                    program: ChildProgram("scripted", start: races.start), settings: try .scripted(), deadline: nil)
            })
        return try await session.run()
    }

    /// The gates that a judgement fails.
    private func failures(_ summary: RaceSession.Summary) -> [String: TrialExitCode] {
        let gates = StrategyRegistry.builtIn.gates(for: summary.rows, controls: summary.controls)
        return Dictionary(uniqueKeysWithValues: gates.filter { !$0.passed }.map { ($0.name, $0.exitCode) })
    }

    @Test func `a strategy without a race is clean, once the detector has caught the controls`() async throws {
        let summary = try await judge()
        #expect(summary.isDetectorAlive)
        #expect(summary.controls.count == RaceControls.all.count + 2)
        #expect(summary.rows.map(\.verdict) == [.clean, .clean])
        #expect(summary.rows.map(\.runs) == [2, 2])
        #expect(failures(summary).isEmpty)
    }

    @Test func `a race in one of several runs is a finding with its report`() async throws {
        let summary = try await judge(
            ScriptedRaces { $0.scenario == "two" && $0.repetition == 2 ? .racy : .quiet() })
        #expect(summary.rows.map(\.verdict) == [.clean, .racy])
        #expect(summary.rows.last?.runsFlagged == 1)
        #expect(failures(summary) == ["races": .dataRace])
        let path = try #require(results).path
        #expect(try String(contentsOfFile: "\(path)/reports/two.lru.txt", encoding: .utf8).contains("data race"))
    }

    @Test(arguments: [TrialStatus.crashed, .hung])
    func `a failed run is a row, and the others continue`(status: TrialStatus) async throws {
        let summary = try await judge(ScriptedRaces { $0.repetition == 1 ? .quiet(status) : .quiet() })
        #expect(summary.rows.map(\.verdict) == [.crashed, .crashed])
        #expect(summary.rows.map(\.runsCrashed) == [1, 1])
        #expect(failures(summary) == ["ended": .strategyFailed])
    }

    @Test func `a detector that misses a control judges no strategy`() async throws {
        let summary = try await judge(ScriptedRaces(missed: RaceControls.all[0].name))
        #expect(!summary.isDetectorAlive && summary.rows.isEmpty)
        #expect(failures(summary) == ["detector": .harnessTrouble])
    }

    @Test func `a scenario without a race on an unlocked dictionary decides nothing`() async throws {
        let summary = try await judge(ScriptedRaces(proves: false))
        #expect(summary.rows.map(\.verdict) == [.undecided, .undecided])
        #expect(summary.rows.allSatisfy { $0.runs == 0 })
    }

    @Test func `finished results of a cancelled judgement are kept`() async throws {
        let summary = try await Task {
            try await judge(
                ScriptedRaces { trial in
                    if trial.scenario == "two" { withUnsafeCurrentTask { $0?.cancel() } }
                    return .quiet()
                })
        }.value
        #expect(summary.rows.map(\.scenario) == ["one"])
    }

    @Test func `a sanitizer that can't work is harness trouble, and ends the judgement`() async throws {
        await #expect(throws: HarnessError.self) {
            _ = try await judge(ScriptedRaces { _ in throw HarnessError("no shadow memory") })
        }
    }
}

/// Runs that end as a script says.
private struct ScriptedRaces {
    /// The end of a run.
    struct Ending {
        var status = TrialStatus.completed
        var isRacy = false

        static let racy = Ending(isRacy: true)
        static func quiet(_ status: TrialStatus = .completed) -> Ending { Ending(status: status) }
    }

    /// A control that is not caught.
    var missed: String?
    /// Whether a strategy without any lock is flagged.
    var proves = true
    /// The end of a strategy's run.
    var script: @Sendable (TrialIdentity) async throws -> Ending = { _ in .quiet() }

    func start(_ call: ChildCall) async throws -> ChildEnding {
        if let control = call.request(RaceControl.self) {
            return try end(call, isRacy: control.kind == .racy && control.name != missed)
        }
        guard let trial = call.request(TrialSpecification.self)?.identity else { throw CancellationError() }
        let isProof = call.settings.environment["TSAN_OPTIONS"]?.contains("halt_on_error='1'") == true
        let ending = isProof ? Ending(isRacy: proves) : try await script(trial)
        for var result in RaceTallyTests.result() where ending.status == .completed {
            result.trial.key = RowKey(trial: trial, phase: "p")
            try call.answer(TrialMessage.phaseFinished(result))
        }
        if ending.status == .hung { return ChildEnding(.deadlinePassed(call.settings.deadline)) }
        if ending.status == .crashed { return ChildEnding(.signaled(11)) }
        try call.answer(TrialMessage.finished)
        return try end(call, isRacy: ending.isRacy)
    }

    private func end(_ call: ChildCall, isRacy: Bool) throws -> ChildEnding {
        try call.leaveReport(isRacy ? RaceTallyTests.report : "")
        return ChildEnding(.exited(isRacy ? SanitizerSettings.exitCode : 0))
    }
}
