import Foundation
import Reports
import Testing
import TrialModel

/// Slices in a result folder.
@Suite(.timeLimit(.minutes(1))) struct SliceRowTests {
    let temporary: TemporaryFolder
    let path: String

    init() throws {
        temporary = try TemporaryFolder()
        path = temporary.path("results")
    }

    /// A phase with two slices.
    private func result(_ repetition: Int = 1) -> PhaseResult {
        var result = Samples.phase(Samples.key("steady", "lru", repetition))
        result.slices = ([1, 2] as [UInt64]).map { number in
            SliceRow(key: result.trial.key).with {
                ($0.slice, $0.operations, $0.throughputPerSecond) = (number, 1_000 * number, 12_345.678)
                ($0.p50Nanoseconds, $0.lookups, $0.hits) = (101.25, 800, 300)
            }
        }
        return result
    }

    /// The line of a slice, with another text in a column.
    private static func line(_ name: String = "", _ text: String = "") -> String {
        let cells =
            ["steady", "lru", "1", "main", "1", "1000", "12345.678", "101.250", "800", "300"]
            + SweepDimension.allCases.map { _ in "" }
        return CSVWriter.line(
            zip(ResultFile.slices.columnNames, cells).map { column, cell in column == name ? text : cell })
    }

    @Test func `slices are read back unchanged`() throws {
        let folder = try ResultFolder.create(at: path, files: ResultFile.ofInterleavedRun)
        try folder.append([result(1)])
        try folder.append([result(2)])
        #expect(try ResultFolder.read(at: path).map(\.slices) == [result(1).slices, result(2).slices])
        #expect(
            try temporary.text("results/slices.csv").split(separator: "\r\n", omittingEmptySubsequences: false)[1]
                == "steady,lru,1,main,1,1000,12345.678,101.250,800,300,,,,,,,,")
    }

    @Test func `a run that is not interleaved has no slices, and is read without their file`() throws {
        try ResultFolder.create(at: path).append([Samples.phase()])
        #expect(try temporary.names("results").contains("slices.csv") == false)
        #expect(try ResultFolder.read(at: path).map(\.slices) == [[]])
    }

    @Test func `slices of a trial that never ended are left out`() throws {
        let folder = try ResultFolder.create(at: path, files: ResultFile.ofInterleavedRun)
        try folder.append([result()])
        var other = try #require(result().slices.first)
        other.key = Samples.key("steady", "actor")
        try temporary.write(
            try temporary.text("results/slices.csv") + CSVWriter.line(other),
            to: "results/slices.csv")
        #expect(try ResultFolder.read(at: path).map(\.slices) == [result().slices])
    }

    @Test func `a trial that is run again leaves no slices behind`() throws {
        var partial = result()
        partial.trial.status = .partial
        try ResultFolder.create(at: path, files: ResultFile.ofInterleavedRun).append([partial])
        let (folder, finished) = try ResultFolder.reopen(
            at: path, phases: ["steady": ["main"]], files: ResultFile.ofInterleavedRun)
        #expect(finished.isEmpty)
        try folder.append([result()])
        #expect(try ResultFolder.read(at: path).map(\.slices) == [result().slices])
    }

    @Test(
        arguments: ["slice", "operations", "lookups", "hits"],
        ["-1", "1.5", "1e3", "99999999999999999999", "nan", "", "=1+1", "many"])
    func `an impossible whole number is refused with its file and line`(column: String, text: String) throws {
        try expectRefused(column, text, "integer")
    }

    @Test(
        arguments: ["throughput_per_second", "p50_ns"],
        ["-1", "-0.001", "nan", "inf", "1e999", "0x1p4", "", "=1+1", "many"])
    func `an impossible figure is refused with its file and line`(column: String, text: String) throws {
        try expectRefused(column, text, "decimal")
    }

    private func expectRefused(_ column: String, _ text: String, _ kind: String) throws {
        let folder = try ResultFolder.create(at: path, files: ResultFile.ofInterleavedRun)
        try folder.append([Samples.phase()])
        let damaged = CSVWriter.header(of: SliceRow.self) + Self.line(column, text)
        try temporary.write(damaged, to: "results/slices.csv")
        #expect(
            throws: ReportsError.badFile(
                path: "\(path)/slices.csv", line: 2, problem: "\(column): \"\(text)\" is no \(kind)")
        ) { try ResultFolder.read(at: path) }
    }

    @Test func `a slice that is present twice is refused`() throws {
        let folder = try ResultFolder.create(at: path, files: ResultFile.ofInterleavedRun)
        try folder.append([Samples.phase()])
        let text = CSVWriter.header(of: SliceRow.self) + Self.line() + Self.line()
        try temporary.write(text, to: "results/slices.csv")
        #expect(
            throws: ReportsError.badFile(
                path: "\(path)/slices.csv", line: 3, problem: "a second row for steady, lru, 1, main, 1")
        ) { try ResultFolder.read(at: path) }
    }

    @Test func `a figure that is not a number is an empty cell`() {
        let row = SliceRow(key: Samples.key()).with {
            ($0.slice, $0.operations, $0.throughputPerSecond, $0.p50Nanoseconds) = (1, 2, .infinity, .nan)
        }
        #expect(CSVWriter.line(row) == "steady,lru,1,main,1,2,,,0,0" + Samples.sweptCells)
    }
}
