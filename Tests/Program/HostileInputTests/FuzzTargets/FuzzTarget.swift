import Foundation
import TrialModel

@testable import CacheStrategies
@testable import Measurement
@testable import PersistentStrategies
@testable import Reports
@testable import ScenarioFiles
@testable import Traces

/// A parser of untrusted bytes, as a fuzzer drives it: for any bytes it must return a result or refuse.
///
/// The package in `Tests/Program/Fuzzing` builds this file under libFuzzer; the tests here replay the findings.
enum FuzzTarget: String, CaseIterable, Sendable {
    /// A scenario file.
    case scenario
    /// A trace: the first byte chooses the format, or its detection; the rest is the file, compressed or not.
    case trace
    /// A result file: the first byte chooses which, the rest follows its header.
    case results
    /// Any CSV text.
    case csv
    /// `run.json` or `verdict.json`.
    case description
    /// The counts of a latency distribution, uncompressed; or a line of a log.
    case histogram
    /// The header of a disk entry.
    case entryHeader = "entry-header"

    /// Reads the bytes.
    ///
    /// - Returns: what is wrong with the parser; `nil` when it behaved correctly, for good or bad bytes.
    func findings(in bytes: [UInt8]) throws -> String? {
        switch self {
        case .scenario: Self.scenario(String(decoding: bytes, as: UTF8.self))
        case .trace: try Self.trace(bytes)
        case .results: try Self.results(bytes)
        case .csv: Self.csv(bytes)
        case .description: Self.description(bytes)
        case .histogram: Self.histogram(bytes)
        case .entryHeader: Self.entryHeader(bytes)
        }
    }

    private static func scenario(_ text: String) -> String? {
        do throws(ScenarioFileError) {
            _ = try ScenarioReader(knownStrategies: ["lru", "none"]).read(text: text, file: "fuzz.yaml")
            return nil
        } catch {
            let lines = 1 + text.unicodeScalars.count { ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].contains($0) }
            let isPlaced = error.mistakes.allSatisfy { (1...lines + 1).contains($0.line) && $0.column >= 1 }
            guard !error.mistakes.isEmpty, isPlaced else { return "a mistake outside the text: \(error)" }
            return error.description.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\0" }
                ? "a message that controls a terminal" : nil
        }
    }

    /// The number of requests read of one trace: a line of ARC may contain any number of them.
    private static let requestCountMax = 100_000

    private static func trace(_ bytes: [UInt8]) throws -> String? {
        guard let choice = bytes.first else { return nil }
        let format = TraceFormat.allCases[safe: Int(choice) % (TraceFormat.allCases.count + 1)]
        let path = try scratchFile("trace", bytes.dropFirst())
        var count = 0
        do throws(TraceError) {
            let reader = try TraceReader(path: path, format: format)
            var block = TraceBlock()
            while count < requestCountMax, try reader.read(into: &block) { count += block.count }
            return reader.requestCount == count ? nil : "\(reader.requestCount) requests, of which \(count) were given"
        } catch {
            guard error.path == path, error.requestCount >= count else { return "an error of something else: \(error)" }
            return error.description.contains("\n") ? "a message of several lines: \(error)" : nil
        }
    }

    private static func results(_ bytes: [UInt8]) throws -> String? {
        guard let choice = bytes.first else { return nil }
        let file = ResultFile.allCases[Int(choice) % ResultFile.allCases.count]
        let path = try scratchFile(file.rawValue, Array(file.header.utf8) + bytes.dropFirst())
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        do throws(ReportsError) {
            return try stray(file.rowType, folder)
        } catch {
            return error.exitCode == .badInput ? nil : "not called bad: \(error)"
        }
    }

    /// Rows that are written and read again must be equal.
    private static func stray<Row: ResultRow>(
        _ type: Row.Type, _ folder: String
    ) throws(ReportsError) -> String? {
        let rows = try ResultFolder.rows(of: type, at: folder)
        for row in rows {
            let line = CSVWriter.line(row)
            guard let fields = (try? CSVReader.read(line))?.records.first?.fields else { return "unreadable: \(line)" }
            var again = Row()
            for (column, text) in zip(Row.columns, fields) where !column.read(text, &again) {
                return "\(column.name): \"\(text)\" was written, and can't be read"
            }
            guard CSVWriter.line(again) == line else { return "\(line) is a different row when read back" }
        }
        return nil
    }

    private static func csv(_ bytes: [UInt8]) -> String? {
        let torn = try? CSVReader.read(bytes, ending: .torn)
        guard let whole = try? CSVReader.read(bytes) else { return nil }
        if let torn {
            guard whole.records.starts(with: torn.records) else { return "torn, other records" }
        } else if bytes.last == UInt8(ascii: "\n") {
            return "a text whose last line has its end can't be read as one that is torn"
        }
        let text = whole.records.map { CSVWriter.line($0.fields) }.joined()
        let again = try? CSVReader.read(text)
        return again?.records.map(\.fields) == whole.records.map(\.fields)
            ? nil : "different records when written again"
    }

    private static func description(_ bytes: [UInt8]) -> String? {
        if let run = try? ResultJSON.decode(RunDescription.self, from: Data(bytes)) {
            guard (try? ResultJSON.encode(run)) != nil else { return "what was read can't be written" }
        }
        _ = try? ResultJSON.decode(RunVerdict.self, from: Data(bytes))
        return nil
    }

    private static func histogram(_ bytes: [UInt8]) -> String? {
        if let entry = HistogramLog.entry(Substring(decoding: bytes, as: UTF8.self)) {
            _ = try? LatencyHistogram(encoded: entry.distribution.encoded)
        }
        let packed = Data(LatencyHistogram.compressed(bytes)).base64EncodedString()
        guard let histogram = try? LatencyHistogram(encoded: packed) else { return nil }
        guard let again = try? LatencyHistogram(encoded: histogram.encoded()) else { return "written, and unreadable" }
        return again.count == histogram.count ? nil : "\(again.count) latencies, where there were \(histogram.count)"
    }

    private static func entryHeader(_ bytes: [UInt8]) -> String? {
        var bytes = bytes
        // No fuzzer guesses a checksum: most of the time it is corrected, so that the code behind it is tested.
        if bytes.count == EntryHeader.byteCount, bytes[44] != 0 {
            let sum = Checksum.of(Data(bytes.prefix(44)))
            for place in 0..<4 { bytes[44 + place] = UInt8(truncatingIfNeeded: sum >> (8 * UInt32(place))) }
        }
        guard let header = try? EntryHeader(decoding: Data(bytes)) else { return nil }
        guard header.encoded() == Data(bytes) else { return "different bytes when written again" }
        return header.fileByteCount >= EntryHeader.byteCount ? nil : "a file of \(header.fileByteCount) bytes"
    }

    /// The folder for files of this process, for parsers that need a path.
    private static let scratchFolder = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-\(getpid())")

    /// Removes the files that reading created.
    static func removeScratchFolder() { try? FileManager.default.removeItem(at: scratchFolder) }

    /// A file with these bytes.
    private static func scratchFile(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        if mkdir(scratchFolder.path, 0o700) != 0, errno != EEXIST { throw POSIXError(.EIO) }
        let file = scratchFolder.appendingPathComponent(name)
        try Data(bytes).write(to: file)
        return file.path
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
