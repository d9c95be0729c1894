import BuiltInStrategies
import CacheStrategies
import Testing
import TimedStrategies
import TrialModel

@testable import TrialSessions

/// The failures of a run, and their exit codes.
@Suite(.timeLimit(.minutes(1)))
struct RunGatesTests {
    static func row(
        _ status: TrialStatus, wrong: UInt64 = 0, strategy: String = "lru", reason: String = ""
    ) -> TrialRow {
        let trial = TrialIdentity(scenario: "scan", strategy: strategy, repetition: 2)
        return TrialRow(
            key: RowKey(trial: trial, phase: "after"), driver: .threads, status: status, reason: reason,
            wrongAnswers: wrong)
    }

    static func exitCode(_ rows: TrialRow...) -> Int32 {
        RunVerdict(gates: StrategyRegistry.builtIn.gates(for: rows)).exitCode
    }

    @Test func `trials that completed with right answers pass`() {
        #expect(Self.exitCode(Self.row(.completed), Self.row(.completed)) == 0)
    }

    @Test(arguments: [TrialStatus.crashed, .hung])
    func `a strategy that crashes or hangs exits with 3`(status: TrialStatus) {
        #expect(Self.exitCode(Self.row(.completed), Self.row(status)) == 3)
    }

    @Test func `a slow trial fails nothing, and is named`() {
        let gates = StrategyRegistry.builtIn.gates(for: [Self.row(.slow, reason: "it did 3 of 9")])
        #expect(RunVerdict(gates: gates).exitCode == 0)
        #expect(
            gates[0].reason
                == "every phase was measured as intended, except trials that were too slow: lru in scan: it did 3 of 9")
    }

    // It passed, and nothing had been judged.
    @Test func `a scenario that judges and whose trials of a strategy were all slow exits with 2`() throws {
        func exitCode(_ rows: [TrialRow], _ promises: [ConsistencyRow], expecting: Set<ScenarioPoint> = []) -> Int32 {
            RunVerdict(
                gates: StrategyRegistry.builtIn.gates(for: rows, promises: promises, expecting: expecting)
            ).exitCode
        }
        func row(_ status: TrialStatus, _ repetition: Int, _ strategy: String = "lru", phase: String = "after")
            -> TrialRow
        {
            let trial = TrialIdentity(scenario: "scan", strategy: strategy, repetition: repetition)
            return TrialRow(
                key: RowKey(trial: trial, phase: phase), driver: .threads, status: status, reason: "it did 3 of 9")
        }
        let unknown = [Self.promise("lru", .unknown)]
        // The phases before the slow one judge no strategy.
        let slow = [row(.completed, 1, phase: "fill"), row(.slow, 1), row(.slow, 2)]
        #expect(exitCode(slow, unknown) == 2 && exitCode(slow, [], expecting: ["scan"]) == 2)
        #expect(exitCode(slow, []) == 0 && exitCode(slow, [], expecting: ["other"]) == 0)
        #expect(exitCode(slow + [row(.completed, 3)], unknown) == 0)
        #expect(exitCode([row(.slow, 1, "published-actor")], [Self.promise("published-actor", .unknown)]) == 0)
        // Expectations don't apply to bounds.
        #expect(exitCode([row(.slow, 1, "none")], [], expecting: ["scan"]) == 0)
        let gates = StrategyRegistry.builtIn.gates(for: slow, promises: unknown)
        #expect(
            gates[0].name == "measured"
                && gates[0].reason == "lru in scan: every trial was too slow, so it was not judged: it did 3 of 9")
    }

    @Test func `a wrong answer exits with 3`() {
        #expect(Self.exitCode(Self.row(.completed, wrong: 1)) == 3)
    }

    @Test func `unreliable figures exit with 2, which is worse than 3`() {
        #expect(Self.exitCode(Self.row(.invalid), Self.row(.crashed)) == 2)
    }

    @Test func `an expectation that is not met exits with 1, and not for a bound`() {
        func row(_ strategy: String, _ failed: UInt64) -> TrialRow {
            var row = Self.row(.completed, strategy: strategy, reason: "hit ratio too low")
            row.expectationsFailed = failed
            return row
        }
        #expect(Self.exitCode(row("lru", 0), row("none", 1)) == 0)
        #expect(Self.exitCode(row("lru", 1)) == 1)
        #expect(Self.exitCode(row("lru", 1), Self.row(.crashed)) == 3)
        let gates = StrategyRegistry.builtIn.gates(for: [row("lru", 1)])
        #expect(gates.last?.reason == "lru in scan, after, repetition 2: hit ratio too low")
    }

    @Test func `a run without a trial can't pass`() {
        #expect(Self.exitCode() == 2)
    }

    @Test func `an interrupt is reported with any other results`() {
        let gates = StrategyRegistry.builtIn.gates(for: [Self.row(.crashed)])
        #expect(RunVerdict(gates: gates, interruption: .interrupted).exitCode == 130)
    }

    @Test func `a reason contains the place`() {
        let gates = StrategyRegistry.builtIn.gates(for: [Self.row(.hung, reason: "no end"), Self.row(.crashed)])
        let reason = gates.first { !$0.passed }?.reason
        #expect(reason == "lru in scan, after, repetition 2: hung: no end (and 1 more in trials.csv)")
    }

    static func promise(_ strategy: String, _ verdict: ConsistencyVerdict) -> ConsistencyRow {
        ConsistencyRow().with {
            $0.trial = TrialIdentity(scenario: "scan", strategy: strategy, repetition: 1)
            ($0.promise, $0.verdict, $0.example) = (.freshness, verdict, "a value was old")
        }
    }

    static func gate(_ name: String, promises: [ConsistencyRow], missed: [String]? = []) -> VerdictGate? {
        StrategyRegistry.builtIn.gates(for: [row(.completed)], promises: promises, missedControls: missed)
            .first { $0.name == name }
    }

    @Test func `a sound strategy that breaks a promise exits with 3`() throws {
        let gate = try #require(Self.gate("consistency", promises: [Self.promise("lru", .inconsistent)]))
        #expect(!gate.passed && gate.exitCode == .strategyFailed)
        #expect(gate.reason == "lru violated freshness in scan: a value was old")
    }

    @Test(arguments: ["stale", "published-actor"])
    func `a promise that was known to be broken fails nothing`(strategy: String) {
        #expect(Self.gate("consistency", promises: [Self.promise(strategy, .inconsistent)])?.passed == true)
    }

    @Test func `unknown results fail nothing`() {
        #expect(Self.gate("consistency", promises: [Self.promise("lru", .unknown)])?.passed == true)
    }

    @Test func `without a request there is no gate`() {
        #expect(Self.gate("consistency", promises: []) == nil)
        #expect(Self.gate("controls", promises: [], missed: nil) == nil)
    }

    @Test func `a control that was not noticed exits with 2`() throws {
        let gate = try #require(Self.gate("controls", promises: [], missed: ["the control 'stale' is not caught"]))
        #expect(!gate.passed && gate.exitCode == .harnessTrouble)
        #expect(gate.reason.hasSuffix("the control 'stale' is not caught"))
    }
}
