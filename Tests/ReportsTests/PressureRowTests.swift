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
        var result = Samples.phase(Samples.key("steady", strategy, repetition))
        let key = result.trial.key
        var row = PressureRow(key: key)
        row.level = .warning
        (row.responds, row.responseNanoseconds) = (true, 1_500)
        (row.entriesBefore, row.entriesGivenBack, row.entriesGivenBackAtEnd) = (100, 60, 0)
        (row.bytesBefore, row.bytesGivenBack, row.bytesGivenBackAtEnd) = (1_000, given, 0)
        (row.allocatedBytesBefore, row.allocatedBytesAfter) = (9_000, 8_500)
        (row.hitRatioBefore, row.hitRatioAfter, row.operationsToRecovery) = (0.9, 0.5, 1_234)
        (row.loadsInFlight, row.loadsSurvived, row.loadsFailed) = (3, 3, 0)
        result.pressure = row
        result.stages = [Stage.beforeFetch, .fetch, .decode, .afterDecode].map { stage in
            StageRow(key: key).with {
                ($0.operation, $0.outcome, $0.stage, $0.count) = (.load, .miss, stage, 10)
                $0.totalNanoseconds = 500
                $0.latency = LatencySummary(min: 10, mean: 50, p50: 40, p99: 90, max: 99)
            }
        }
        result.hitRates += [Tier.memory, .disk].map { tier in
            var hits = HitRateRow(
                key: key, capacity: Capacity(entries: 500), lookups: 1_000, hits: 450, misses: 550)
            hits.tier = .only(tier)
            return hits
        }
        result.latency += [Tier.memory, .disk].map { tier in
            var row = Samples.latency(key, count: 450)
            row.labels = LatencyLabels(operation: .only(.load), outcome: .only(.hit), tier: .only(tier))
            return row
        }
        result.latency.append(Samples.latency(key).with { $0.labels.outcome = .only(.hit) })
        return result
    }

    @Test func `rows are read back unchanged`() throws {
        let folder = try ResultFolder.create(at: path, files: files)
        try folder.append([result()])
        let read = try #require(try ResultFolder.read(at: path).first)
        #expect(read.pressure == result().pressure && read.stages == result().stages)
        #expect(read.tierHitRates == result().tierHitRates && read.hitRate == result().hitRate)
        // A throughput has three decimals in the file.
        #expect(read.latency.map(\.labels) == result().latency.map(\.labels))
        #expect(read.latency.map(\.latency) == result().latency.map(\.latency))
        #expect(
            try temporary.text("results/pressure.csv").split(separator: "\r\n")[1]
                == "steady,lru,1,main,warning,yes,1500,100,60,0,1000,600,0,9000,8500,0.900000,0.500000,1234,3,3,0,"
                + ",,,,,,,,")
        #expect(
            try temporary.text("results/stages.csv").split(separator: "\r\n")[1]
                == "steady,lru,1,main,load,miss,before_fetch,10,500,10,50,40,90,99,,,,,,,,")
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

    @Test func `a run without them is read without their files`() throws {
        try ResultFolder.create(at: path).append([Samples.phase(Samples.key("steady", "lru"))])
        #expect(try ResultFolder.read(at: path).allSatisfy { $0.pressure == nil && $0.stages.isEmpty })
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
