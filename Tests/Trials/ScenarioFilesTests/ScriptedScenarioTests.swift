import Testing
import TrialModel

@testable import ScenarioFiles

/// Scripts in scenario files.
@Suite(.timeLimit(.minutes(1)))
struct ScriptedScenarioTests {
    private func read(_ phase: String) throws -> Scenario { try PhasesInTests.read(phase, keyCount: 2) }
    private func mistakes(_ phase: String) -> [String] { PhasesInTests.mistakes(phase, keyCount: 2) }

    @Test func `each caller is a text of operations`() throws {
        let phase = try read("{ name: s, script: [\"load 0, write 1\", \"clear\"] }").phases[0]
        #expect(
            phase.script
                == ScheduleScript(callers: [
                    [ScriptedOperation(.load), ScriptedOperation(.write, key: 1)], [ScriptedOperation(.clear)],
                ]))
        #expect(phase.clients == 2 && phase.length == .operations(3))
    }

    @Test func `a word that is not an operation is named, with the allowed ones`() {
        #expect(
            mistakes("{ name: s, script: [\"load 0, laod 1\"] }") == [
                "7:25: phases[0].script[0]: found laod 1, allowed: load, failing-load, cancelled-load, read, write, "
                    + "remove, each with a key from 0 to 7, clear, statistics, or expire; separated by commas"
            ])
    }

    @Test func `a key beyond the scenario's is refused`() {
        #expect(
            mistakes("{ name: s, script: [\"load 2\"] }") == [
                "7:25: phases[0].script[0]: found key 2, allowed: a key below 2, the count of the keys"
            ])
    }

    @Test func `a script allows no other key than a name`() {
        #expect(
            mistakes("{ name: s, clients: 2, script: [\"load 0\"] }") == [
                "7:25: phases[0].clients: found clients together with a script, allowed: only a name"
            ])
    }

    @Test func `more callers than a picture can show are refused`() {
        let callers = Array(repeating: "\"load 0\"", count: 9).joined(separator: ", ")
        #expect(
            mistakes("{ name: s, script: [\(callers)] }") == [
                "7:24: phases[0].script: found 9 elements, allowed: 1 to 8 elements"
            ])
    }
}
