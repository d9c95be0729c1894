import Foundation
import Reports
import Testing
import TrialModel

@testable import Comparison

@Suite(.timeLimit(.minutes(1))) struct HistoryFileTests {
    private let folder: URL
    private var path: String { folder.appendingPathComponent("history.csv").path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("history-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func made(_ rows: [HistoryRow]) -> HistoryFile { HistoryFile(path: path, rows: rows) }

    /// The error for a file with these bytes.
    private func refusal(_ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        do {
            _ = try HistoryFile.read(at: path)
            return ""
        } catch {
            return "\(error)".replacingOccurrences(of: path, with: "history.csv")
        }
    }

    /// The error for a file of one row with one text replaced.
    private func refusal(_ text: String, _ other: String) throws -> String {
        try made([HistorySamples.row(1, 100), HistorySamples.row(2, 100)]).write(to: path)
        let sound = try String(contentsOfFile: path, encoding: .utf8)
        let line = try #require(sound.split(separator: "\r\n").last)
        return try refusal(Array(sound.replacingOccurrences(of: line, with: line.replacing(text, with: other)).utf8))
    }

    @Test func `a written file is read back, in the order of the times`() throws {
        var rows = HistorySamples.rows([(100, 3)])
        rows[1].acknowledged = "because, \"so\""
        try made(rows.reversed()).write(to: path)
        let read = try HistoryFile.read(at: path)
        #expect(read.rows.map(\.commit) == (0..<3).map(HistorySamples.commit))
        #expect(read.rows[1].acknowledged == "because, \"so\"")
        #expect(abs(read.rows[2].value - rows[2].value) < 1e-6)
    }

    @Test func `a file from before sweeps is read, and written with their columns`() throws {
        try made(HistorySamples.rows([(100, 3)])).write(to: path)
        let now = try String(contentsOfFile: path, encoding: .utf8)
        let before = now.replacing(/,sweep_clients.*?\r\n/, with: "\r\n").replacing(",,,,,,,,\r\n", with: "\r\n")
        #expect(before.count < now.count - 24)
        try before.write(toFile: path, atomically: true, encoding: .utf8)
        try HistoryFile.change(at: path) { _ in }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == now)
    }

    @Test func `a commit is added once for each machine kind`() throws {
        var file = made([HistorySamples.row(1, 100)])
        let again = [HistorySamples.row(1, 200)]
        #expect(throws: HistoryError.self) { try file.add(again, replacing: false) }
        #expect(file.rows.map(\.value) == [100])
        try file.add([HistorySamples.row(1, 300, HistorySamples.series(machineKind: "Xeon"))], replacing: false)
        #expect(file.rows.count == 2)
    }

    @Test func `a short name of a commit is the same commit`() throws {
        var file = made([HistorySamples.row(1, 100)])
        var short = HistorySamples.row(1, 200)
        short.commit = String(short.commit.prefix(8))
        #expect(throws: HistoryError.self) { try file.add([short], replacing: false) }
    }

    @Test func `replaced figures stay acknowledged`() throws {
        var file = made([HistorySamples.row(1, 100)])
        _ = try file.acknowledge(.init(commit: HistorySamples.commit(1)), reason: "known")
        try file.add([HistorySamples.row(1, 200)], replacing: true)
        #expect(file.rows.map(\.value) == [200] && file.rows[0].acknowledged == "known")
    }

    @Test func `only what fits is acknowledged`() throws {
        var file = made([HistorySamples.row(1, 1), HistorySamples.row(1, 1, HistorySamples.series("arc", .p99))])
        #expect(try file.acknowledge(.init(commit: "c0ffee0", metric: .p99), reason: "known") == 1)
        #expect(file.rows.map(\.acknowledged) == ["", "known"])
        let error = #expect(throws: HistoryError.self) {
            _ = try file.acknowledge(.init(commit: "c0ffee0", strategy: "lfu"), reason: "known")
        }
        #expect("\(error.map(\.description) ?? "")".contains("leave one out"))
    }

    @Test func `a reason of two lines, or an ambiguous commit, is refused`() {
        var file = made([HistorySamples.row(1, 1), HistorySamples.row(2, 1)])
        #expect(throws: HistoryError.self) {
            _ = try file.acknowledge(.init(commit: HistorySamples.commit(1)), reason: "two\nlines")
        }
        #expect(throws: HistoryError.self) { _ = try file.acknowledge(.init(commit: "c0ffee0"), reason: "known") }
    }

    @Test func `two histories merge to the same rows from either side`() throws {
        let rows = HistorySamples.rows([(100, 4)])
        var (ours, theirs) = (made(Array(rows.prefix(3))), made(Array(rows.suffix(3))))
        _ = try theirs.acknowledge(.init(commit: rows[1].commit), reason: "known")
        let untouched = ours
        try ours.merge(theirs)
        try theirs.merge(untouched)
        #expect(ours.rows == theirs.rows && ours.rows.count == 4)
        #expect(ours.rows[1].acknowledged == "known")
    }

    @Test func `different figures of a commit are not merged`() throws {
        var ours = made([HistorySamples.row(1, 100)])
        let theirs = made([HistorySamples.row(1, 101)])
        let error = #expect(throws: HistoryError.self) { try ours.merge(theirs) }
        #expect(
            error?.description.contains("different figures of c0ffee0001, the first is p50 of lru in steady") == true)
    }

    @Test func `a failed change leaves the file unchanged`() throws {
        try made([HistorySamples.row(1, 100)]).write(to: path)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(throws: HistoryError.self) {
            try HistoryFile.change(at: path) { file in
                try file.add([HistorySamples.row(2, 1)], replacing: false)
                try file.add([HistorySamples.row(1, 1)], replacing: false)
            }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["history.csv"])
    }

    @Test func `a missing file is created only on request`() throws {
        #expect(throws: HistoryError.missing(path: path)) { try HistoryFile.change(at: path) { _ in } }
        try HistoryFile.change(at: path, begins: true) { _ in }
        #expect(try HistoryFile.read(at: path).rows.isEmpty)
    }

    @Test func `two processes do not change a file at once`() throws {
        let lock = try Files.lock(folder: folder.path)
        withExtendedLifetime(lock) {
            _ = #expect(throws: ReportsError.inUse(path: folder.path)) { try HistoryFile.change(at: path) { _ in } }
        }
    }

    @Test(arguments: [
        ("100.000000", "nan", "value: \"nan\""), ("100.000000", "1e999", "value: \"1e999\""),
        ("100.000000", "", "value: \"\""), ("100.000000", "1e19", "value: \"1e19\""),
        ("99.000000", "100.5", "low: \"100.5\""), ("101.000000", "99.5", "high: \"99.5\""),
        (",5,", ",0,", "repetitions: \"0\""),
        (",5,", ",99999999999999999999,", "repetitions: \"99999999999999999999\""), ("p50", "p51", "metric: \"p51\""),
        (",ns,", ",s,", "unit: \"s\""), ("2030-01", "2030-13", "time: \"2030-13-01T12:02:00Z\""),
        ("c0ffee0002", "c0ff", "commit: \"c0ff\""), ("steady", "", "scenario: \"\""),
        ("0123456789abcdef", "0123", "scenario_hash: \"0123\""), (",5,", ",5,,", "24 fields, where the header has 23"),
        ("c0ffee0002", "c0ffee0001", "a second row for p50 of lru in steady, main, at c0ffee0001"),
        ("lru", "l\"ru", "a quote inside a field"),
    ])
    func `a damaged line is named, with its column`(text: String, other: String, problem: String) throws {
        let refusal = try refusal(text, other)
        #expect(refusal.hasPrefix("history.csv:3: \(problem)"), "\(refusal)")
        #expect(refusal.contains("fix or remove the line"))
    }

    @Test func `bytes that are not text are named by their line`() throws {
        let header = Array(ResultFile.history.header.utf8)
        #expect(try refusal([]).hasPrefix("history.csv:1: the file is empty"))
        #expect(try refusal(Array("a,b\r\n".utf8)).contains("missing: time, commit"))
        #expect(try refusal(header + [0, 0, 0]).hasPrefix("history.csv:2: 1 fields"))
        #expect(try refusal(header + [0xFF, 0x2C]).hasPrefix("history.csv:2: bytes that are not UTF-8"))
        let long = Array(repeating: UInt8(ascii: "x"), count: 1_000_000)
        #expect(try refusal(header + long).hasPrefix("history.csv:2: 1 fields"))
        #expect(try refusal("lru", "l\0ru").contains("strategy: "))
    }
}
