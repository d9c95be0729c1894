import Testing
import TrialLoop
import TrialModel

@testable import TrialSessions

/// Processes that take turns, and programs that can't.
@Suite(.timeLimit(.minutes(2)))
struct TurnTakingTrialTests {
    private let scripts: ScriptedTrials

    init() throws { scripts = try ScriptedTrials() }

    @Test func `a process works only during its turns, and ends with the last one`() async throws {
        var trial = try await scripts.start("one", phases: [0, 0, 2])
        #expect(scripts.log.isEmpty)
        var phases: [Int?] = [trial.phase]
        for turn in 1...3 {
            try await trial.takeTurn()
            phases.append(trial.phase)
            #expect(scripts.log.count == turn)
        }
        #expect(phases == [0, 0, 2, nil])
        #expect(trial.outcome?.ending.way == .exited(0))
    }

    @Test func `a process that dies during its turn has ended`() async throws {
        var trial = try await scripts.start("one", phases: [0], then: "kill -9 $$")
        try await trial.takeTurn()
        #expect(trial.phase == nil)
        #expect(trial.outcome?.ending.way == .signaled(9))
        #expect(trial.outcome?.results.map(\.trial.status) == [.crashed])
    }

    @Test(arguments: [
        "exit 0", "say '{\"phaseStarted\":{\"name\":\"p\",\"driver\":\"threads\"}}'\nread -r more",
        "say '{\"waiting\":{\"version\":0,\"phase\":0}}'\nread -r more",
    ])
    func `a program without turns, or with other ones, is named with what to do`(body: String) async throws {
        await #expect {
            _ = try await scripts.start("other", body: body)
        } throws: { error in
            error is HarnessError && "\(error)".contains("/other does not alternate in slices as this program does")
                && "\(error)".contains("Build both sides from versions that do")
        }
    }

    @Test func `a program that can't start is named with its message`() async throws {
        await #expect {
            _ = try await scripts.start("other", body: "echo 'no such library' >&2\nexit 127")
        } throws: { error in
            error is HarnessError && "\(error)".contains("/other can't run a trial: no such library")
        }
    }

    @Test func `a strategy that a program lacks is a trial that has ended`() async throws {
        let trial = try await scripts.start(
            "other", body: "say '{\"trouble\":{\"_0\":\"there is no strategy\"}}'")
        #expect(trial.phase == nil)
        #expect(trial.outcome?.trouble == "there is no strategy")
        await trial.stop()
    }

    @Test func `a process that is stopped while it waits gets no turn`() async throws {
        let trial = try await scripts.start("one", phases: [0])
        await trial.stop()
        #expect(scripts.log.isEmpty)
    }
}
