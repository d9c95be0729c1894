package import Foundation
package import TrialModel

/// Everything that a result folder records about trials, so that a folder with the same rows can be written again.
package struct ResultContents: Sendable {
    /// The results, with their distributions if those were read.
    package var results: [PhaseResult]
    package var consistency: [ConsistencyEntry] = []

    package init(results: [PhaseResult] = []) { self.results = results }
}

/// A row of `consistency.csv`, and the example that gets a file of its own.
package struct ConsistencyEntry: Equatable, Sendable {
    package var row: ConsistencyRow
    /// The example as JSON; `nil` where nothing is inconsistent.
    package var example: String?

    package init(row: ConsistencyRow, example: String? = nil) {
        self.row = row
        self.example = example
    }

    /// The folder of the examples.
    package static let folder = "consistency"

    /// The path of a row's example, relative to the result folder.
    package static func path(of row: ConsistencyRow) -> String { "\(folder)/\(fileName(of: row))" }

    static func fileName(of row: ConsistencyRow) -> String {
        "\(row.trial.scenario)-\(row.trial.strategy)-\(row.trial.repetition)-\(row.promise.rawValue).json"
    }
}

extension ResultFolder {
    /// Everything that a result folder holds, in the order of `trials.csv`.
    ///
    /// Rows whose phase has no row in `trials.csv` belong to a trial that never ended, and are left out. So is a last
    /// line that was cut off. Nothing is locked or changed.
    ///
    /// - Parameter isLenient: whether the measurement files may be missing; `trials.csv` is always required.
    package static func read(at path: String, isLenient: Bool = false) throws(ReportsError) -> [PhaseResult] {
        let trials = try rows(of: TrialRow.self, at: path, isRequired: true)
        var results = trials.map { PhaseResult(trial: $0) }
        var index: [RowKey: Int] = [:]
        for (position, row) in trials.enumerated() { index[row.key] = position }
        func add<Row: MeasurementRow>(_ kind: Row.Type) throws(ReportsError) {
            let isRequired = !isLenient && kind.isExpected(of: nil)
            for row in try rows(of: kind, at: path, isRequired: isRequired) {
                if let position = index[row.key] { results[position][keyPath: Row.place].append(row) }
            }
        }
        for kind in PhaseResult.kinds { try add(kind) }
        return results
    }

    /// The rows of a file, in its order.
    ///
    /// - Parameter isRequired: whether a missing file is an error; otherwise it has no rows.
    package static func rows<Row: ResultRow>(
        of _: Row.Type, at path: String, isRequired: Bool = false
    ) throws(ReportsError) -> [Row] {
        let file = ResultFile(Row.self)
        let path = "\(path)/\(file.rawValue)"
        if !isRequired, try Files.kind(of: path) == .nothing { return [] }
        return try ResultTable.read(file, at: path).records.map { (record) throws(ReportsError) in
            try record.row(at: path)
        }
    }

    /// The findings about promises in the trials that ended; empty without the file.
    package static func readConsistency(at path: String) throws(ReportsError) -> [ConsistencyRow] {
        let known = Set(try rows(of: TrialRow.self, at: path, isRequired: true).map(\.key.trial))
        return try rows(of: ConsistencyRow.self, at: path).filter { known.contains($0.trial) }
    }

    /// Every latency distribution of the trials in `trials.csv`, by the phase that it belongs to.
    ///
    /// Distributions of a trial that never ended are left out, as is a last line that was cut off.
    package static func readDistributions(at path: String) throws(ReportsError) -> [RowKey: [EncodedDistribution]] {
        let known = Set(try rows(of: TrialRow.self, at: path, isRequired: true).map(\.key))
        var distributions: [RowKey: [EncodedDistribution]] = [:]
        for entry in try histogramEntries(at: path) where known.contains(entry.key) {
            distributions[entry.key, default: []].append(entry.distribution)
        }
        return distributions
    }

    /// Every line of the files in `histograms/`.
    static func histogramEntries(at path: String) throws(ReportsError) -> [HistogramLog.Entry] {
        var entries: [HistogramLog.Entry] = []
        for file in try HistogramFile.all(in: path) {
            let lines = try file.lines()
            if let bad = lines.firstIndex(where: { !HistogramLog.isPossible($0) }) {
                throw .badFile(path: file.path, line: bad + 1, problem: "not a line of a histogram log")
            }
            entries += lines.compactMap(HistogramLog.entry)
        }
        return entries
    }

    /// The run's description from `run.json`.
    package static func readRun(at path: String) throws(ReportsError) -> RunDescription {
        try json(RunDescription.self, "run.json", in: path)
    }

    /// The run's verdict from `verdict.json`.
    package static func readVerdict(at path: String) throws(ReportsError) -> RunVerdict {
        try json(RunVerdict.self, "verdict.json", in: path)
    }

    static func json<Value: Decodable>(
        _ type: Value.Type, _ name: String, in path: String
    ) throws(ReportsError) -> Value {
        let path = "\(path)/\(name)"
        guard try Files.kind(of: path) != .nothing else {
            throw .missingFile(path: path)
        }
        let bytes = try Files.read(path)
        do {
            return try ResultJSON.decode(type, from: Data(bytes))
        } catch {
            throw .badFile(path: path, line: 1, problem: "not what this version writes")
        }
    }

    /// Reads the rows of all trials that ended.
    ///
    /// - Parameter withDistributions: whether distributions and examples are read as well.
    package static func readContents(
        at path: String, withDistributions: Bool = true
    ) throws(ReportsError) -> ResultContents {
        var contents = ResultContents(results: try read(at: path))
        var places: [RowKey: Int] = [:]
        for (place, result) in contents.results.enumerated() { places[result.trial.key] = place }
        for entry in withDistributions ? try histogramEntries(at: path) : [] {
            guard let place = places[entry.key] else { continue }
            contents.results[place].distributions.append(entry.distribution)
            contents.results[place].startSeconds = entry.startSeconds
        }
        for row in try readConsistency(at: path) {
            let bytes = withDistributions ? try bytes(of: ConsistencyEntry.path(of: row), in: path) : nil
            let example = bytes.map { String(decoding: $0, as: UTF8.self) }
            contents.consistency.append(ConsistencyEntry(row: row, example: example))
        }
        return contents
    }

    /// The result files that a folder holds, of any verb that writes results.
    ///
    /// - Parameter other: a file that is enough besides those that a page is made of.
    /// - Throws: ``ReportsError/noSuchResults(path:)`` when there is no such file, or no folder.
    package static func files(at path: String, or other: ResultFile? = nil) throws(ReportsError) -> Set<ResultFile> {
        guard try Files.kind(of: path) == .folder else { throw .noSuchResults(path: path) }
        let names = Set(try Files.names(in: path))
        let present = Set(ResultFile.allCases.filter { names.contains($0.rawValue) })
        let enough = [.trials, .races, .replay, .comparison] + [other].compactMap(\.self)
        guard !present.isDisjoint(with: enough) else {
            throw .noSuchResults(path: path)
        }
        return present
    }

    /// The bytes of another file of the folder; `nil` where it is missing.
    package static func bytes(of name: String, in path: String) throws(ReportsError) -> [UInt8]? {
        let path = "\(path)/\(name)"
        // A pipe in its place is an error, which reading reports.
        let kind = try Files.kind(of: path)
        return kind == .file || kind == .stream ? try Files.read(path) : nil
    }
}

/// The JSON files of a result folder: indented, with sorted keys in snake case like the columns of the CSV files, and
/// dates in ISO 8601 in UTC.
package enum ResultJSON {
    /// The bytes of a file. A number that is not finite becomes a text, so that it can't prevent the file from being
    /// written.
    package static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .iso8601
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        var data = try encoder.encode(value)
        data.append(UInt8(ascii: "\n"))
        return data
    }

    /// The value that a file holds.
    package static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try decoder.decode(type, from: data)
    }
}
