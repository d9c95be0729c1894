import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct RunVerdictTests {
    private func gate(_ exitCode: TrialExitCode, passed: Bool) -> VerdictGate {
        VerdictGate(name: "gate", passed: passed, reason: "", exitCode: exitCode)
    }

    @Test
    func `a run whose gates all pass exits with 0`() {
        let verdict = RunVerdict(gates: [gate(.strategyFailed, passed: true), gate(.gateFailed, passed: true)])
        #expect(verdict.passed)
        #expect(verdict.exitCode == 0)
    }

    @Test(
        arguments: [
            ([.gateFailed, .dataRace], 4), ([.dataRace, .strategyFailed], 3), ([.strategyFailed, .harnessTrouble], 2),
            ([.gateFailed], 1),
        ] as [([TrialExitCode], Int32)])
    func `of several failures the worst sets the exit code`(failures: [TrialExitCode], expected: Int32) {
        let verdict = RunVerdict(gates: failures.map { gate($0, passed: false) })
        #expect(!verdict.passed)
        #expect(verdict.exitCode == expected)
    }

    @Test
    func `an interrupt takes precedence over every failure`() {
        let verdict = RunVerdict(gates: [gate(.harnessTrouble, passed: false)], interruption: .interrupted)
        #expect(verdict.exitCode == 130)
    }
}
