import Foundation
package import TrialModel

extension ResultFolder {
    /// Everything that a result folder holds, in the order of `trials.csv`.
    ///
    /// Rows whose phase has no row in `trials.csv` belong to a trial that never ended, and are left out. So is a last
    /// line that was cut off. Nothing is locked or changed.
    ///
    /// - Parameter isLenient: whether the measurement files may be missing; `trials.csv` is always required.
    package static func read(at path: String, isLenient: Bool = false) throws(ReportsError) -> [PhaseResult] {
        func rows<Row: ResultRow>(_ file: ResultFile, in path: String) throws(ReportsError) -> [Row] {
            isLenient && file != .trials ? try rowsIfPresent(file, in: path) : try Self.rows(file, in: path)
        }
        let trials: [TrialRow] = try rows(.trials, in: path)
        var results = trials.map { PhaseResult(trial: $0) }
        var index: [RowKey: Int] = [:]
        for (position, row) in trials.enumerated() { index[row.key] = position }

        let latency: [LatencyRow] = try rows(.latency, in: path)
        for row in latency {
            if let position = index[row.key] { results[position].latency.append(row) }
        }
        let hitRate: [HitRateRow] = try rows(.hitRate, in: path)
        for row in hitRate {
            guard let position = index[row.key] else { continue }
            if row.tier != .all {
                results[position].tierHitRates.append(row)
            } else if row.pool == .all {
                results[position].hitRate = row
            } else {
                results[position].poolHitRates.append(row)
            }
        }
        let memory: [MemoryRow] = try rows(.memory, in: path)
        for row in memory {
            if let position = index[row.key] { results[position].memory = row }
        }
        let timeline: [TimelineRow] = try rows(.timeline, in: path)
        for row in timeline {
            if let position = index[row.key] { results[position].timeline.append(row) }
        }
        let slices: [SliceRow] = try rowsIfPresent(.slices, in: path)
        for row in slices {
            if let position = index[row.key] { results[position].slices.append(row) }
        }
        let frames: [FramesRow] = try rowsIfPresent(.frames, in: path)
        for row in frames {
            if let position = index[row.key] { results[position].frames = row }
        }
        let frameTimes: [FrameTimeRow] = try rowsIfPresent(.frameTimes, in: path)
        for row in frameTimes {
            if let position = index[row.key] { results[position].frameTimes.append(row) }
        }
        let pressure: [PressureRow] = try rowsIfPresent(.pressure, in: path)
        for row in pressure {
            if let position = index[row.key] { results[position].pressure = row }
        }
        let prefetch: [PrefetchRow] = try rowsIfPresent(.prefetch, in: path)
        for row in prefetch {
            if let position = index[row.key] { results[position].prefetch = row }
        }
        let stages: [StageRow] = try rowsIfPresent(.stages, in: path)
        for row in stages {
            if let position = index[row.key] { results[position].stages.append(row) }
        }
        let functions: [FunctionRow] = try rowsIfPresent(.functions, in: path)
        for row in functions {
            if let position = index[row.key] { results[position].functions.append(row) }
        }
        return results
    }

    /// The figures of a comparison.
    package static func readComparison(at path: String) throws(ReportsError) -> [ComparisonRow] {
        try rows(.comparison, in: path)
    }

    /// The results of explored schedules.
    package static func readExploration(at path: String) throws(ReportsError) -> [ExplorationRow] {
        try rows(.exploration, in: path)
    }

    /// Every trial of the finished searches for the highest rate.
    package static func readRateSearches(at path: String) throws(ReportsError) -> [RateSearchRow] {
        let trials: [TrialRow] = try rows(.trials, in: path)
        let known = Set(trials.map(\.key.trial.search))
        let all: [RateSearchRow] = try rows(.rateSearch, in: path)
        return all.filter { known.contains($0.key.trial.search) }
    }

    /// The findings about promises in the trials that ended; empty without the file.
    package static func readConsistency(at path: String) throws(ReportsError) -> [ConsistencyRow] {
        let trials: [TrialRow] = try rows(.trials, in: path)
        let known = Set(trials.map(\.key.trial))
        let all: [ConsistencyRow] = try rowsIfPresent(.consistency, in: path)
        return all.filter { known.contains($0.trial) }
    }

    /// Every latency distribution of the trials in `trials.csv`, by the phase that it belongs to.
    ///
    /// Distributions of a trial that never ended are left out, as is a last line that was cut off.
    package static func readDistributions(at path: String) throws(ReportsError) -> [RowKey: [EncodedDistribution]] {
        let trials: [TrialRow] = try rows(.trials, in: path)
        let known = Set(trials.map(\.key))
        var distributions: [RowKey: [EncodedDistribution]] = [:]
        for entry in try histogramEntries(at: path) where known.contains(entry.key) {
            distributions[entry.key, default: []].append(entry.distribution)
        }
        return distributions
    }

    /// Every line of the files in `histograms/`.
    static func histogramEntries(at path: String) throws(ReportsError) -> [HistogramLog.Entry] {
        var entries: [HistogramLog.Entry] = []
        for file in try HistogramFile.all(in: path) { entries += try file.lines().compactMap(HistogramLog.entry) }
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
            throw .badFile(path: path, line: 1, problem: "the file is missing")
        }
        let bytes = try Files.read(path)
        do {
            return try ResultJSON.decode(type, from: Data(bytes))
        } catch {
            throw .badFile(path: path, line: 1, problem: "not what this version writes")
        }
    }

    static func rows<Row: ResultRow>(_ file: ResultFile, in path: String) throws(ReportsError) -> [Row] {
        let path = "\(path)/\(file.rawValue)"
        let columns = Row.columns
        return try ResultTable.read(file, at: path).records.map { (record) throws(ReportsError) in
            try record.row(columns, at: path)
        }
    }
}

extension CSVRecord {
    /// Parses the record of a file into a row.
    func row<Row: ResultRow>(_ columns: [Column<Row>], at path: String) throws(ReportsError) -> Row {
        var row = Row.blank
        for (column, text) in zip(columns, fields) where !column.read(text, &row) {
            let kind = column.type == .text ? "word of this column" : column.type.rawValue
            let allowed = column.words.isEmpty ? "no \(kind)" : "none of \(column.words.joined(separator: ", "))"
            throw .badFile(path: path, line: line, problem: "\(column.name): \"\(text)\" is \(allowed)")
        }
        return row
    }
}

/// The records of a result file, with its header checked and removed.
struct ResultTable {
    var records: [CSVRecord]
    /// Whether the last line, or the header itself, was cut off.
    var isTorn: Bool

    static func read(_ file: ResultFile, at path: String) throws(ReportsError) -> ResultTable {
        if try Files.kind(of: path) == .nothing {
            if file == .trials { throw .noResults(path: folder(of: path)) }
            throw .badFile(path: path, line: 1, problem: "the file is missing")
        }
        let bytes = try Files.read(path)
        let contents: CSVReader.Contents
        do throws(CSVError) {
            contents = try CSVReader.read(bytes, ending: .torn)
        } catch {
            throw .badFile(path: path, line: error.line, problem: error.problem)
        }
        let expected = file.columnNames
        guard let header = contents.records.first else {
            guard file.header.utf8.starts(with: bytes) else {
                throw .badFile(path: path, line: 1, problem: "it does not start with the names of its columns")
            }
            return ResultTable(records: [], isTorn: true)
        }
        guard header.fields == expected else {
            throw .otherColumns(
                path: path, missing: expected.filter { !header.fields.contains($0) },
                unknown: header.fields.filter { !expected.contains($0) })
        }
        let records = Array(contents.records.dropFirst())
        for record in records where record.fields.count != expected.count {
            throw .badFile(
                path: path, line: record.line,
                problem: "\(record.fields.count) fields, where the header has \(expected.count)")
        }
        try checkNames(of: records, in: file, at: path)
        return ResultTable(records: records, isTorn: contents.isTorn)
    }

    /// Rejects a row that occurs twice, because it would be counted twice.
    private static func checkNames(
        of records: [CSVRecord], in file: ResultFile, at path: String
    ) throws(ReportsError) {
        guard let count = file.namingColumnCount else { return }
        // The values that a sweep set are part of the name.
        let sweptCount =
            file.columnNames.last == SweepDimension.allCases.last?.columnName ? SweepDimension.allCases.count : 0
        let tier = file.isNamedByTier ? file.columnNames.firstIndex(of: "tier") : nil
        func name(_ record: CSVRecord) -> ArraySlice<String> {
            let places =
                tier.map { record.fields[$0] }.flatMap { $0 == Selection<Tier>.all.rawValue ? nil : [$0] } ?? []
            return record.fields.prefix(count) + places + record.fields.suffix(sweptCount).filter { !$0.isEmpty }
        }
        var names: Set<ArraySlice<String>> = []
        for record in records where !names.insert(name(record)).inserted {
            let name = name(record).joined(separator: ", ")
            throw .badFile(path: path, line: record.line, problem: "a second row for \(name)")
        }
    }

    private static func folder(of path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }
}

/// A file in `histograms/`.
struct HistogramFile {
    let path: String

    /// The files of a result folder; none where it has no histograms.
    static func all(in path: String) throws(ReportsError) -> [HistogramFile] {
        let folder = "\(path)/\(HistogramLog.folder)"
        guard try Files.kind(of: folder) == .folder else { return [] }
        return try Files.names(in: folder).filter { $0.hasSuffix(".hlog") }
            .map { HistogramFile(path: "\(folder)/\($0)") }
    }

    /// Its lines without their line ends; a last line that was cut off is left out.
    func lines() throws(ReportsError) -> [Substring] {
        let text = String(decoding: try Files.read(path), as: UTF8.self)
        // Splits bytes, which is faster than splitting characters.
        return text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast().map {
            Substring($0)
        }
    }

    /// Keeps the lines of some trials, and removes the file when no line is left. A file that needs no change is not
    /// touched.
    func keep(_ trials: Set<TrialIdentity>) throws(ReportsError) {
        let text = String(decoding: try Files.read(path), as: UTF8.self)
        let lines = try lines()
        let kept = lines.filter { line in
            guard line.hasPrefix("Tag=") else { return true }
            return HistogramLog.entry(line).map { trials.contains($0.key.trial) } ?? false
        }
        guard kept.contains(where: { $0.hasPrefix("Tag=") }) else { return Files.remove(path) }
        guard kept.count < lines.count || text.utf8.last != UInt8(ascii: "\n") else { return }
        try Files.replace(path, with: kept.map { $0 + "\n" }.joined())
    }
}
