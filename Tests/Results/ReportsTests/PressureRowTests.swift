import Foundation
import Reports
import Testing
import TrialModel

/// Memory pressure, tiers of hits and stages of loads in a result folder, and in the tables that a run ends with.
@Suite(.timeLimit(.minutes(1)))
struct PressureRowTests {
    let temporary: TemporaryFolder
    let path: String
    private let files = ResultFile.ofRun + [ResultFile(PressureRow.self), ResultFile(StageRow.self)]

    init() throws {
        temporary = try TemporaryFolder()
        path = temporary.path("results")
    }

    private func result(_ strategy: String = "lru", _ repetition: Int = 1, given: UInt64 = 600) -> PhaseResult {
        let all = Samples.everything(strategy, repetition)
        var result = Samples.phase(all.trial.key)
        result.pressure = Samples.pressure(all.trial.key, given: given)
        (result.stages, result.hitRates) = (all.stages, all.hitRates.filter { $0.pool == .all })
        return result
    }

    @Test func `a second row of one tier is a mistake, and another tier is not`() throws {
        var twice = result()
        twice.hitRates.append(twice.tierHitRates[0])
        try ResultFolder.create(at: path, files: files).append([twice])
        let error = #expect(throws: ReportsError.self) { try ResultFolder.read(at: path) }
        #expect(
            error.map { "\($0)".contains("a second row for steady, lru, 1, main, all, memory") } == true,
            "\(error as Any)")
    }

    @Test func `a folder has the optional files of its scenarios, or of its results`() {
        #expect(
            ResultFile.others(of: [result()] as [PhaseResult]) == [
                ResultFile(PressureRow.self), ResultFile(StageRow.self),
            ])
        #expect(ResultFile.others(of: [Samples.phase()] as [PhaseResult]) == [])
    }

    @Test func `each phase with memory pressure has rows of medians`() throws {
        let results = [result("lru", 1), result("lru", 2, given: 800), result("sieve", 1), result("sieve", 2)]
        let ranking = try #require(ScenarioRanking.all(results).first)
        let table = try #require(ranking.pressureTable)
        #expect(table.cell("lru", "bytes_given_back")?.value == .integer(700))
        #expect(table.cell("sieve", "bytes_given_back")?.value == .integer(600))
        #expect(ClosingTable.tables(results).map(\.title) == ["steady", "steady, memory pressure"])
        #expect(try #require(ScenarioRanking.all([Samples.phase()]).first).pressureTable == nil)
    }

    @Test func `distributions of tiers are read back`() throws {
        var result = result()
        result.startSeconds = 12
        result.distributions = [
            EncodedDistribution(
                labels: LatencyLabels(operation: .only(.load), outcome: .only(.hit), tier: .only(.disk)),
                longestNanoseconds: 5_000_000, encoded: "HISTFAAA"),
            EncodedDistribution(labels: LatencyLabels(), longestNanoseconds: 6_000_000, encoded: "HISTFBBB"),
        ]
        try ResultFolder.create(at: path, files: files).append([result])
        #expect(try ResultFolder.readDistributions(at: path)[result.trial.key] == result.distributions)
    }
}
