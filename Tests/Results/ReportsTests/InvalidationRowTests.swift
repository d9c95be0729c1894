import Reports
import Statistics
import Testing

@testable import TrialModel

/// Events that removed keys, in the tables that a run ends with.
@Suite(.timeLimit(.minutes(1)))
struct InvalidationRowTests {
    private func result(_ strategy: String, _ repetition: Int, stale: UInt64) -> PhaseResult {
        let all = Samples.everything(strategy, repetition)
        var result = Samples.phase(all.trial.key)
        result.invalidation = Samples.invalidation(all.trial.key, stale: stale)
        return result
    }

    @Test func `each phase with invalidation has rows of medians`() throws {
        let results = [
            result("lru", 1, stale: 0), result("lru", 2, stale: 0), result("dual", 1, stale: 4),
            result("dual", 2, stale: 8),
        ]
        let table = try #require(ScenarioRanking.all(results).first?.invalidationTable)
        #expect(table.cell("lru", "stale_answers")?.value == .integer(0))
        #expect(table.cell("dual", "stale_answers")?.value == .integer(6))
        #expect(table.cell("dual", "recovery_ns")?.value == .integer(40_000_000))
        #expect(ClosingTable.tables(results).map(\.title) == ["steady", "steady, invalidation"])
        #expect(ScenarioRanking.all([Samples.phase()]).first?.invalidationTable == nil)
    }

    @Test func `a median of no stale answers does not hide the repetition that had some`() throws {
        var rules = RankingRules()
        let metric = try #require(Metric(rawValue: "stale_answers"))
        rules.questions["steady"] = ScenarioQuestion(decidedBy: [DecidingFigure(metric: metric, phase: "main")])
        let rare = [0, 0, 8].enumerated().map { result("dual", $0 + 1, stale: $1) }
        let never = (1...3).map { result("lru", $0, stale: 0) }
        let ranking = try #require(ScenarioRanking.all(rare + never, rules).first)
        #expect(ranking.table([]).cell("dual", "deciding_figure")?.text == "0.0 ±>100%")
        #expect(ranking.table([]).cell("lru", "deciding_figure")?.text == "0.0")
        let table = try #require(ranking.invalidationTable)
        #expect(table.cell("dual", "stale_answers")?.value == .integer(0))
        #expect(table.cell("dual", "stale_answers_max")?.value == .integer(8))
        #expect(table.cell("lru", "stale_answers_max")?.value == .integer(0))
    }

    @Test(arguments: [([nil, nil, 200], nil), ([200, nil, 300], 250)] as [([UInt64?], UInt64?)])
    func `what most repetitions never reached has no median`(recovery: [UInt64?], median: UInt64?) throws {
        let results = recovery.enumerated().map { index, time in
            var result = result("dual", index + 1, stale: 0)
            result.invalidation?.recoveryNanoseconds = time
            return result
        }
        let ranking = try #require(ScenarioRanking.all(results).first)
        let cell = ranking.invalidationTable?.cell("dual", "recovery_ns")
        #expect(cell?.value == median.map { .integer($0) } ?? TableCell.Value.none)
        let rows = FigureTable.table([ranking]).rendered(as: .csv).split(separator: "\r\n")
        #expect(rows.contains { $0.contains(",recovery,") } == (median != nil))
    }

    @Test func `stale answers are compared per million lookups`() throws {
        let metric = try #require(Metric(rawValue: "stale_answers"))
        let result = result("dual", 1, stale: 4)
        let lookups = try #require(result.hitRate?.lookups)
        #expect(metric.value(result) == 4e6 / Double(lookups) && !metric.higherIsBetter)
        #expect(metric.value(Samples.phase()) == nil)
    }

    @Test func `twenty stale answers among two million lookups are worse than none`() throws {
        let metric = try #require(Metric(rawValue: "stale_answers"))
        let scale = ComparisonScale([[0, 0, 0], [10, 10.5, 9.8]], metric.smallestDifference)
        #expect(!scale.isRatio && scale.margin < 9)
    }
}
