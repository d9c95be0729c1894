import Testing
import TrialModel

/// The text form of scripts.
@Suite(.timeLimit(.minutes(1)))
struct ScheduleScriptTests {
    @Test(arguments: ScriptedOperation.Kind.allCases) func `an operation is read as it is written`(
        kind: ScriptedOperation.Kind
    ) {
        let operation = ScriptedOperation(kind, key: kind.hasKey ? 3 : 0)
        #expect(ScriptedOperation(operation.description) == operation)
        #expect(ScriptedOperation("  \(operation.description) ") == operation)
    }

    @Test(arguments: [
        "", "load", "load x", "load -1", "load 8", "load 1 2", "clear 0", "statistics 1", "burst 1", "load 99999999999",
    ])
    func `a word that is not an operation is refused`(text: String) {
        #expect(ScriptedOperation(text) == nil)
    }

    @Test func `the keys of a script are counted from 0 to the highest`() {
        #expect(
            ScheduleScript(callers: [[ScriptedOperation(.clear, key: 7), ScriptedOperation(.statistics, key: 7)]])
                .keyCount == 0)
        #expect(ScheduleScript(callers: [[ScriptedOperation(.load, key: 2)], []]).keyCount == 3)
    }
}
