import Testing
import TrialModel

@testable import TrialSessions

/// A whole search with made-up trials. The objective is a p99 of 5 ms.
@Suite(.timeLimit(.minutes(1)))
struct StrategyRateSearchTests {
    private func search(
        _ trials: inout ScriptedRateTrials, repetitions: Int = 3
    ) async throws -> StrategyRateSearch.Finding {
        var settings = SearchedScenarioTests.settings()
        settings.repetitions = repetitions
        let searched = try SearchedScenario(SearchedScenarioTests.scenario(), settings)
        var search = StrategyRateSearch(searched, settings, strategy: "x")
        return try await search.run(on: &trials)
    }

    /// Sustains up to a rate; beyond it all clients are slow.
    private static func limited(to limit: Double) -> ScriptedRateTrials {
        ScriptedRateTrials { rate, _ in
            ScriptedRateTrials.phase(p99: (rate ?? 0) <= limit ? 3_000_000 : 7_000_000, served: 3_000_000)
        }
    }

    @Test func `the highest rate is in the rows of the trials that sustained it`() async throws {
        var trials = Self.limited(to: 12_000)
        let finding = try await search(&trials)
        let rows = finding.results.map(\.trial)
        #expect(rows.map(\.key.phase) == ["warm-up", "main", "warm-up", "main"])
        #expect(rows.map(\.key.trial.repetition) == [1, 1, 2, 2])
        #expect(rows[0].maxRatePerSecond == nil)
        let rate = try #require(rows[1].maxRatePerSecond)
        #expect((11_428...12_000).contains(rate))
        #expect(rows[3].maxRatePerSecond == rate)
        #expect(rows.allSatisfy { $0.reason.isEmpty && $0.status == .completed })
    }

    @Test func `the search starts at the rate of the closed loop`() async throws {
        var trials = Self.limited(to: 12_000)
        _ = try await search(&trials)
        #expect(trials.asked.first?.rate == nil)
        #expect(trials.asked.dropFirst().first?.rate == 10_000)
    }

    @Test func `every trial is a row of evidence`() async throws {
        var trials = Self.limited(to: 12_000)
        let finding = try await search(&trials)
        #expect(finding.rows.count == trials.asked.count)
        #expect(finding.rows.map(\.ratePerSecond) == trials.asked.map(\.rate))
        #expect(finding.rows.map { Int($0.step) } == trials.asked.map(\.step))
        #expect(finding.rows[0].isSustained == nil)
        #expect(finding.rows.dropFirst().allSatisfy { ($0.isSustained == true) == (($0.ratePerSecond ?? 0) <= 12_000) })
        #expect(finding.rows[1].objectiveNanoseconds == 3_000_000)
    }

    @Test func `a rate is tried no more often than its verdict needs`() async throws {
        var trials = Self.limited(to: 12_000)
        _ = try await search(&trials)
        #expect(trials.asked.dropFirst().map(\.repetition).max() == 2)
        trials = Self.limited(to: 12_000)
        _ = try await search(&trials, repetitions: 1)
        #expect(trials.asked.map(\.repetition).max() == 1)
    }

    @Test func `one bad trial of three changes nothing, and its rows are not kept`() async throws {
        var trials = ScriptedRateTrials { rate, repetition in
            let isGood = (rate ?? 0) <= 12_000 && repetition != 1
            return ScriptedRateTrials.phase(p99: isGood ? 3_000_000 : 7_000_000, served: 3_000_000)
        }
        let finding = try await search(&trials)
        #expect(finding.results.map(\.trial.key.trial.repetition) == [2, 2, 3, 3])
    }

    @Test func `an objective that no rate meets is a rate of 0, with the reason`() async throws {
        var trials = Self.limited(to: 0)
        let finding = try await search(&trials)
        let row = try #require(finding.results.last?.trial)
        #expect(row.maxRatePerSecond == 0)
        #expect(row.status == .completed)
        #expect(row.reason == "objective not met at any rate: p99 7.00 ms even at 20.0/s")
    }

    @Test func `a rate that the harness limits is a lower bound, and says so`() async throws {
        var trials = ScriptedRateTrials { rate, _ in
            var result = ScriptedRateTrials.phase(p99: 3_000_000)
            if let rate, rate > 8000 {
                result.isHarnessLimited = true
                result.trial.status = .invalid
                result.trial.reason = "the rate is too high for the harness"
            }
            return result
        }
        let row = try #require(try await search(&trials).results.last?.trial)
        #expect((7600...8000).contains(row.maxRatePerSecond ?? 0))
        #expect(row.status == .completed)
        #expect(row.reason.hasPrefix("at least: at 8"))
        #expect(row.reason.hasSuffix("/s the harness is the limit: the rate is too high for the harness"))
    }

    @Test func `when everything is sustained the highest possible rate is a lower bound`() async throws {
        var trials = Self.limited(to: 1e9)
        let row = try #require(try await search(&trials).results.last?.trial)
        #expect(row.maxRatePerSecond == 10_000_000)
        #expect(row.reason == "at least: no higher rate is tried")
    }

    @Test func `clients that were all busy are mentioned with the rate that failed`() async throws {
        var trials = ScriptedRateTrials { rate, _ in
            let rate = rate ?? 10_000
            return ScriptedRateTrials.phase(
                p99: rate <= 12_000 ? 1 : 7_000_000, served: 3_000_000, mean: 6_300_000, operations: 10_000)
        }
        let row = try #require(try await search(&trials).results.last?.trial)
        #expect(row.reason.contains("/s all 64 clients were busy; more of them (--clients) may send more"))
    }

    @Test(arguments: [TrialStatus.crashed, .hung])
    func `a strategy that fails ends the search with its own rows`(status: TrialStatus) async throws {
        var trials = ScriptedRateTrials { rate, _ in
            var result = ScriptedRateTrials.phase(p99: 1)
            if let rate, rate > 15_000 {
                result = PhaseResult(
                    trial: TrialRow(key: result.trial.key, driver: nil, status: status, reason: "boom"))
            }
            return result
        }
        let finding = try await search(&trials)
        #expect(finding.results.last?.trial.status == status)
        #expect(finding.results.last?.trial.reason == "at 20.0k/s: boom")
        #expect(finding.results.last?.trial.maxRatePerSecond == nil)
        #expect(finding.rows.last?.status == status)
        #expect(trials.asked.count == 4)
    }

    @Test func `a wrong answer ends the search`() async throws {
        var trials = ScriptedRateTrials { rate, _ in
            var result = ScriptedRateTrials.phase(p99: 1)
            if rate != nil { result.trial.wrongAnswers = 1 }
            return result
        }
        let finding = try await search(&trials)
        #expect(finding.results.last?.trial.wrongAnswers == 1)
        #expect(trials.asked.count == 2)
    }

    @Test func `a crash in the closed loop is the whole search`() async throws {
        var trials = ScriptedRateTrials { _, _ in
            PhaseResult(
                trial: TrialRow(key: ScriptedRateTrials.phase(p99: 1).trial.key, driver: nil, status: .crashed))
        }
        let finding = try await search(&trials)
        #expect(finding.results.last?.trial.status == .crashed)
        #expect(trials.asked.count == 1)
    }
}
