import BuiltInStrategies
import Testing
import TimedStrategies
import TrialModel

@testable import TrialSessions

/// The failures of an exploration, and their exit codes.
@Suite(.timeLimit(.minutes(1)))
struct ExplorationGatesTests {
    private func exitCode(_ rows: ExplorationRow...) -> Int32 {
        RunVerdict(gates: StrategyRegistry.builtIn.gates(for: rows)).exitCode
    }

    private func row(_ verdict: ExplorationVerdict, _ strategy: String = "actor") -> ExplorationRow {
        ExplorationRow().with {
            ($0.scenario, $0.strategy, $0.promise, $0.verdict) = ("scan", strategy, .singleFlight, verdict)
        }
    }

    @Test func `promises that were kept, or could not be broken, pass`() {
        #expect(exitCode(row(.consistent), row(.unknown)) == 0)
    }

    @Test(arguments: [ExplorationVerdict.inconsistent, .crashed, .hung])
    func `a sound strategy that breaks a promise exits with 3, and a published one does not`(
        verdict: ExplorationVerdict
    ) {
        #expect(exitCode(row(verdict)) == 3)
        #expect(exitCode(row(verdict, "published-actor"), row(.consistent)) == 0)
    }

    @Test func `an exploration without a row can't pass`() {
        #expect(exitCode() == 2)
    }

    @Test func `a crash is a broken promise in the table of promises`() {
        #expect(row(.crashed).consistency.verdict == .inconsistent)
        #expect(row(.hung).consistency.verdict == .inconsistent)
        #expect(row(.unknown).consistency.verdict == .unknown)
    }
}
