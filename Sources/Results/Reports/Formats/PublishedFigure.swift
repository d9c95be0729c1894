import Foundation
import Statistics
package import TrialModel

/// One figure of a run as programs that keep figures read it: the median of the repetitions.
package struct PublishedFigure: Hashable, Sendable {
    /// What was measured: scenario, strategy and phase.
    package var name: String
    package var metric: Metric
    package var value: Double
    /// The interval of the median; `nil` with fewer than three repetitions.
    package var interval: ClosedRange<Double>?
    /// Further facts, as text for people.
    package var remark: String?

    /// The median of some repetitions; `nil` without any.
    package init?(name: String, metric: Metric, repetitions: [Double], remark: String? = nil) {
        let isRatio = metric.smallestDifference.share != nil
        guard let estimate = Estimate(repetitions, isRatio: isRatio) else { return nil }
        (self.name, self.metric, self.remark) = (name, metric, remark)
        (value, interval) = (estimate.value, estimate.interval)
    }
}

/// The files of programs that keep figures: values of `--format`.
package enum FigureFormat: String, CaseIterable, Sendable {
    /// The JSON that Bencher reads with its adapter `json`: <https://bencher.dev/docs/reference/bencher-metric-format>.
    case bencher
    /// The figures that are better when they are smaller, as JSON that github-action-benchmark reads with its tool
    /// `customSmallerIsBetter`.
    case githubBenchmark = "github-benchmark"
    /// The other figures, for its tool `customBiggerIsBetter`.
    case githubBenchmarkBigger = "github-benchmark-bigger"
    /// A line of a CSV file that Apache Otava reads: <https://otava.apache.org>.
    case otava

    /// The file's text. NaN and infinity are left out, because JSON can't represent them.
    ///
    /// - Parameters:
    ///   - run: the run of the figures.
    ///   - file: what the text is appended to; a line is the only format that can be.
    /// - Throws: an encoder's error; ``ReportsError/otherFigures(path:missing:unknown:)`` when the file has other columns.
    package func text(
        _ figures: [PublishedFigure], of run: RunDescription, after file: AppendedFile = AppendedFile()
    ) throws -> String {
        let finite = figures.filter(\.value.isFinite)
        return switch self {
        case .otava: try OtavaLine(finite, of: run).text(after: file)
        case .bencher: try Self.json(BencherMetric.all(finite))
        case .githubBenchmark: try Self.json(finite.filter { !$0.metric.higherIsBetter }.map(BenchmarkEntry.init))
        case .githubBenchmarkBigger: try Self.json(finite.filter(\.metric.higherIsBetter).map(BenchmarkEntry.init))
        }
    }

    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }
}

/// A file, and what it holds before something is appended to it; empty for a new file, a pipe or a terminal.
package struct AppendedFile {
    package var path = ""
    package var bytes: [UInt8] = []

    package init() {}

    /// Reads a file.
    package init(at path: String) throws(ReportsError) { (self.path, bytes) = (path, try Files.read(path)) }
}

/// The figures of a run in a file with a line for each commit: when the run began, the commit of the program, and a column
/// for each figure. The memory of an entry has none: small caches lack it by chance, and each line needs all columns.
private struct OtavaLine {
    private let cells: [(column: String, text: String)]

    init(_ figures: [PublishedFigure], of run: RunDescription) {
        let commit = (run.gitCommit ?? "unknown") + (run.gitDirty == true ? "-dirty" : "")
        cells =
            [("time", run.start.formatted(.iso8601)), ("commit", commit)]
            + figures.filter { $0.metric != .bytesPerEntry }.map { ("\($0.name)/\($0.metric)", "\($0.value)") }
    }

    /// The line, after the names of its columns where the file has none. Otava refuses lines with an empty cell, so the
    /// figures have to be those of the file.
    func text(after file: AppendedFile) throws -> String {
        let own = cells.map(\.column)
        guard !file.bytes.isEmpty else { return CSVWriter.line(own) + CSVWriter.line(cells.map(\.text)) }
        let columns: [String]
        do throws(CSVError) {
            columns = try CSVReader.read(file.bytes).records.first?.fields ?? []
        } catch {
            throw ReportsError.badFile(path: file.path, line: error.line, problem: error.problem)
        }
        let texts = Dictionary(cells.map { ($0.column, $0.text) }) { first, _ in first }
        guard Set(columns) == Set(own) else {
            throw ReportsError.otherFigures(
                path: file.path, missing: own.filter { !columns.contains($0) },
                unknown: columns.filter { texts[$0] == nil })
        }
        let lineEnd = file.bytes.last == UInt8(ascii: "\n") ? "" : "\r\n"
        return lineEnd + CSVWriter.line(columns.compactMap { texts[$0] })
    }
}

/// A figure of Bencher, in the unit of its measure.
private struct BencherMetric: Encodable {
    let value: Double
    let lowerValue: Double?
    let upperValue: Double?

    enum CodingKeys: String, CodingKey {
        case value
        case lowerValue = "lower_value"
        case upperValue = "upper_value"
    }

    /// By benchmark and measure.
    static func all(_ figures: [PublishedFigure]) -> [String: [String: BencherMetric]] {
        var all: [String: [String: BencherMetric]] = [:]
        for figure in figures {
            // Longer names are refused by Bencher.
            all[String(figure.name.prefix(1_024)), default: [:]][measure(figure.metric)] = BencherMetric(
                value: figure.value, lowerValue: figure.interval?.lowerBound, upperValue: figure.interval?.upperBound)
        }
        return all
    }

    /// Every project has `latency` in nanoseconds and `throughput` in operations a second; others come into being with
    /// their first figure.
    private static func measure(_ metric: Metric) -> String {
        metric == .p50 ? "latency" : String(metric.rawValue.replacing("_", with: "-").prefix(64))
    }
}

/// A figure of github-action-benchmark.
private struct BenchmarkEntry: Encodable {
    let name: String
    let unit: String
    let value: Double
    /// Text for people.
    let range: String?
    let extra: String?

    init(_ figure: PublishedFigure) {
        (name, value, extra) = ("\(figure.name)/\(figure.metric)", figure.value, figure.remark)
        unit = figure.metric.unit.isEmpty ? "ratio" : figure.metric.unit
        range = figure.interval.map { interval in
            "\(figure.metric.text(interval.lowerBound)) to \(figure.metric.text(interval.upperBound))"
        }
    }
}
