import Foundation
import Reports
import Testing
import TrialModel

/// Frames in a result folder, and in the tables that a run ends with.
@Suite(.timeLimit(.minutes(1)))
struct FrameRowTests {
    let temporary: TemporaryFolder
    let path: String
    private let files = ResultFile.ofRun + [ResultFile(FramesRow.self), ResultFile(FrameTimeRow.self)]

    init() throws {
        temporary = try TemporaryFolder()
        path = temporary.path("results")
    }

    /// A phase of 100 frames, of which the first and the third were drawn.
    private func result(_ strategy: String = "lru", _ repetition: Int = 1, missed: UInt64 = 2) -> PhaseResult {
        var result = Samples.phase(Samples.key("steady", strategy, repetition))
        result.trial.driver = .main
        result.frames = Samples.frames(result.trial.key, missed: missed)
        return result
    }

    @Test func `a phase of the main thread that lost its frames can't be resumed`() throws {
        let folder = try ResultFolder.create(at: path, files: files)
        try folder.append([result()])
        try temporary.write(CSVWriter.line(FramesRow.columnNames), to: "results/frames.csv")
        let missing = ResultFolder.missingRows(try ResultFolder.read(at: path))
        #expect(missing?.file == ResultFile(FramesRow.self))
    }

    @Test func `shares exclude the frames of the machine`() throws {
        let row = try #require(result().frames)
        #expect(row.missedShare == 2.0 / 80 && row.overBudgetShare == 3.0 / 80)
        #expect(row.shownShare == 0.25 && row.laterShare == 0.5)
        let broken = row.with { $0.machineFrames = 200 }
        #expect(broken.missedShare == nil)
    }

    @Test func `each phase with frames has a table of medians`() throws {
        let results = [result("lru", 1), result("lru", 2, missed: 4), result("sieve", 1), result("sieve", 2)]
        let ranking = try #require(ScenarioRanking.all(results).first)
        let table = try #require(ranking.frameTables.first?.table)
        #expect(table.cell("lru", "missed_frames")?.text == "3.8%")
        #expect(table.cell("sieve", "missed_frames")?.text == "2.5%")
        #expect(ClosingTable.tables(results).map(\.title) == ["steady", "steady, frames of main"])
    }

    @Test func `a share of missed frames can fail a gate`() throws {
        let expected = TrialModel.Expectation.missedFrames(atMost: 0.02)
        #expect(expected.shortfall(in: result(missed: 1)) == nil)
        #expect(
            expected.shortfall(in: result(missed: 2))
                == "2.50 % of the frames missed, expected at most 2.00 %: 0.50 pp too many")
        #expect(expected.shortfall(in: Samples.phase(Samples.key("steady", "lru")))?.contains("no frame") == true)
    }
}
