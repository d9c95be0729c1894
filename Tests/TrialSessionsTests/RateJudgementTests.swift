import Testing
import TrialModel

@testable import TrialSessions

/// When a trial counts as sustained, and who is to blame when it does not. The objective is a p99 of 5 ms, with 64
/// clients.
@Suite(.timeLimit(.minutes(1)))
struct RateJudgementTests {
    private static let objective = LatencyObjective(figure: .p99, limit: 5_000_000)

    private func judge(_ result: PhaseResult, at rate: Double = 10_000) throws -> RateJudgement {
        var settings = RateSearchSettings(objective: Self.objective)
        settings.clients = 64
        let searched = try SearchedScenario(SearchedScenarioTests.scenario(), settings)
        let phase = try #require(searched.sent(at: rate).phases.last)
        return RateJudgement(result, of: phase, at: rate, objective: Self.objective)
    }

    @Test func `response times count, and the limit itself is allowed`() throws {
        #expect(try judge(ScriptedRateTrials.phase(p99: 5_000_000)).verdict == .sustained)
        let missed = try judge(ScriptedRateTrials.phase(p99: 5_000_001, served: 4_000_000))
        #expect(missed.verdict == .missed)
        #expect(missed.objectiveNanoseconds == 5_000_001)
    }

    @Test func `operations that could still meet the limit may be waiting when the phase ends`() throws {
        // 10,000 a second for 5 ms: 50.
        #expect(try judge(ScriptedRateTrials.phase(p99: 1, dropped: 50)).verdict == .sustained)
        let missed = try judge(ScriptedRateTrials.phase(p99: 1, dropped: 51))
        #expect(missed.verdict == .missed)
        #expect(missed.reason == "51 operations were due and not sent")
    }

    @Test func `with a limit longer than the phase, at most a twentieth of it may wait`() throws {
        let long = LatencyObjective(figure: .p99, limit: 60_000_000_000)
        let searched = try SearchedScenario(SearchedScenarioTests.scenario(), RateSearchSettings(objective: long))
        let phase = try #require(searched.sent(at: 1000).phases.last)
        for (dropped, verdict) in [(250, RateVerdict.sustained), (251, .missed)] {
            let result = ScriptedRateTrials.phase(p99: 1, dropped: UInt64(dropped))
            #expect(RateJudgement(result, of: phase, at: 1000, objective: long).verdict == verdict)
        }
    }

    @Test func `operations that the harness could not send are blamed on the harness`() throws {
        var result = ScriptedRateTrials.phase(p99: 1)
        result.isHarnessLimited = true
        result.trial.status = .invalid
        result.trial.reason = "too fast"
        let judgement = try judge(result)
        #expect(judgement.verdict == .harnessLimited)
        #expect(judgement.reason == "too fast")
    }

    @Test func `another invalid trial is not sustained`() throws {
        var result = ScriptedRateTrials.phase(p99: 1)
        result.trial.status = .invalid
        result.trial.reason = "loads failed"
        let judgement = try judge(result)
        #expect(judgement.verdict == .missed)
        #expect(judgement.reason == "invalid: loads failed")
    }

    @Test func `sending later than the limit is blamed on the harness`() throws {
        let judgement = try judge(ScriptedRateTrials.phase(p99: 9_000_000, served: 4_000_000, lateness: 5_100_000))
        #expect(judgement.verdict == .harnessLimited)
    }

    @Test func `a wait while clients were free is blamed on the harness`() throws {
        // 10,000 operations of 1 microsecond in a second keep a hundredth of a client busy.
        let judgement = try judge(ScriptedRateTrials.phase(p99: 9_000_000))
        #expect(judgement.verdict == .harnessLimited)
        #expect(judgement.reason == "operations waited though clients were free; p99 from sending them was 1.00 µs")
    }

    @Test func `a stall that blocks every client is blamed on the strategy`() throws {
        // A mean of 65 µs keeps 0.65 of the 64 clients busy on average, a little more than a hundredth of them: enough
        // for one operation in a hundred to find all of them busy.
        let judgement = try judge(ScriptedRateTrials.phase(p99: 9_000_000, mean: 65_000))
        #expect(judgement.verdict == .missed)
    }

    @Test func `clients that were all busy are mentioned`() throws {
        #expect(try judge(ScriptedRateTrials.phase(p99: 9_000_000, served: 1, mean: 6_300_000)).isCrowded)
        #expect(try !judge(ScriptedRateTrials.phase(p99: 9_000_000, served: 1, mean: 5_000_000)).isCrowded)
    }

    @Test func `an operation that never happened is not sustained`() throws {
        var result = ScriptedRateTrials.phase(p99: 1)
        result.latency = []
        #expect(try judge(result).verdict == .missed)
    }
}
