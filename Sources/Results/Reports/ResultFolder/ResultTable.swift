package import TrialModel

extension CSVRecord {
    /// Parses the record of a file into a row.
    func row<Row: ResultRow>(at path: String) throws(ReportsError) -> Row {
        do {
            return try Row(cells: fields)
        } catch {
            throw .badFile(path: path, line: line, problem: error.description)
        }
    }
}

/// The records of a result file, with its header checked and removed. Columns that an earlier version did not write are
/// added as empty cells.
struct ResultTable {
    var records: [CSVRecord]
    /// Whether the last line, or the header itself, was cut off.
    var isTorn: Bool
    /// The names of the columns that the file lacks.
    var missing: [String] = []

    static func read(_ file: ResultFile, at path: String) throws(ReportsError) -> ResultTable {
        if try Files.kind(of: path) == .nothing {
            if file == .trials { throw .noResults(path: folder(of: path)) }
            throw .missingFile(path: path)
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
        let names = header.fields
        let missing = expected.filter { !names.contains($0) }
        let cells = file.rowType.cellsWhereMissing
        let needed = missing.filter { cells[$0] == nil }
        guard needed.isEmpty, names == expected.filter({ !missing.contains($0) }) else {
            throw .otherColumns(path: path, missing: needed, unknown: names.filter { !expected.contains($0) })
        }
        var records = Array(contents.records.dropFirst())
        for record in records where record.fields.count != names.count {
            throw .badFile(
                path: path, line: record.line,
                problem: "\(record.fields.count) fields, where the header has \(names.count)")
        }
        let inserted = expected.indices.compactMap { index in cells[expected[index]].map { (index, $0) } }
            .filter { missing.contains(expected[$0.0]) }
        for (index, text) in inserted {
            for record in records.indices { records[record].fields.insert(text, at: index) }
        }
        try checkNames(of: records, in: file, at: path)
        return ResultTable(records: records, isTorn: contents.isTorn, missing: missing)
    }

    /// Rejects a row that occurs twice, because it would be counted twice.
    private static func checkNames(
        of records: [CSVRecord], in file: ResultFile, at path: String
    ) throws(ReportsError) {
        let count = file.rowType.keyColumnCount
        guard count > 0 else { return }
        // A tier and the values that a sweep set are part of the name.
        let columns = file.columnNames
        let others = columns.indices.filter { columns[$0] == "tier" || columns[$0].hasPrefix("sweep_") }
        func name(_ record: CSVRecord) -> [String] {
            record.fields.prefix(count) + others.map { record.fields[$0] }.filter { !["", "all"].contains($0) }
        }
        var names: Set<[String]> = []
        for record in records where !names.insert(name(record)).inserted {
            let name = name(record).joined(separator: ", ")
            throw .badFile(path: path, line: record.line, problem: "a second row for \(name)")
        }
    }

    private static func folder(of path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }
}

extension ResultFolder {
    /// What a folder should hold and doesn't, one line each: files whose end is cut off, columns of later versions, and
    /// measured phases of completed trials without latencies. Empty for a complete folder.
    ///
    /// An interrupted run leaves neither: its unfinished trials are not in `trials.csv`.
    ///
    /// - Parameter results: what ``read(at:isLenient:)`` found in the folder.
    package static func gaps(at path: String, _ results: [PhaseResult]) throws(ReportsError) -> [String] {
        var gaps = try missingColumns(at: path)
        // The other files have no rows of trials.
        for file in ResultFile.allCases where file.rowType.keyColumnCount > 0 {
            let filePath = "\(path)/\(file.rawValue)"
            guard try Files.kind(of: filePath) != .nothing else { continue }
            if try ResultTable.read(file, at: filePath).isTorn { gaps.append("\(filePath): its end is cut off") }
        }
        let completed = results.filter { $0.trial.status == .completed }
        let measured = RowKey.measured(results)
        let bare = completed.filter {
            $0.latency.isEmpty && measured.contains($0.trial.key.ofScenario) && !$0.trial.isShorterThanTurn
        }
        if !completed.isEmpty, measured.isEmpty {
            gaps.append("\(path)/latency.csv: no trial has latencies")
        } else if let first = bare.first?.trial.key {
            gaps.append(
                "\(path)/latency.csv: \(bare.count) of \(completed.count) phases have no latencies, the first is \(first)"
            )
        }
        return gaps
    }

    /// The columns that the files of a folder lack, because an earlier version wrote them, one line a file.
    ///
    /// A file that can't be read is not this function's business.
    package static func missingColumns(at path: String) throws(ReportsError) -> [String] {
        var lines: [String] = []
        for file in ResultFile.allCases {
            let filePath = "\(path)/\(file.rawValue)"
            guard try Files.kind(of: filePath) == .file else { continue }
            let missing = (try? ResultTable.read(file, at: filePath).missing) ?? []
            guard !missing.isEmpty else { continue }
            lines.append(
                "\(filePath): an earlier version wrote it, without \(missing.joined(separator: ", ")); "
                    + (missing.count == 1 ? "that column is" : "these columns are") + " read as empty")
        }
        return lines
    }

    /// A measured phase without rows in a file where every measured phase has some.
    package struct MissingRows: Hashable, Sendable {
        package let file: ResultFile
        package let key: RowKey

        /// A description of what is missing.
        package var description: String { "\(file.rawValue) has no rows of \(key)" }
    }

    /// The first completed phase that has rows in one of the measurement files and none in another; `nil` when there is
    /// none. A warm-up has rows in none of them. O(rows).
    ///
    /// Measurements are on disk before the row in `trials.csv`, so no crash leaves such a phase.
    ///
    /// - Parameter takesTurns: whether the operations of a short phase may all be untimed, because they come before the
    ///   slice of a turn.
    package static func missingRows(_ results: [PhaseResult], takesTurns: Bool = false) -> MissingRows? {
        for result in results where result.trial.status == .completed {
            let isTimed = (result.trial.operations ?? 0) > 0 && (!takesTurns || !result.slices.isEmpty)
            // Every measured phase has a row for all operations.
            let files: [(row: any ResultRow.Type, isThere: Bool)] = [
                (LatencyRow.self, !isTimed || result.latency[LatencyLabels()] != nil),
                (HitRateRow.self, result.hitRate != nil), (MemoryRow.self, result.memory != nil),
                (FramesRow.self, result.trial.driver != .main || result.frames != nil),
            ]
            let isMeasured = !result.latency.isEmpty || result.hitRate != nil || result.memory != nil
            if isMeasured, let missing = files.first(where: { !$0.isThere }) {
                return MissingRows(file: ResultFile(missing.row), key: result.trial.key)
            }
        }
        return nil
    }
}

extension RowKey {
    /// The phases of scenarios with measurements. A warm-up and a crashed trial have no latencies.
    package static func measured(_ results: [PhaseResult]) -> Set<RowKey> {
        Set(results.filter { !$0.latency.isEmpty }.map(\.trial.key.ofScenario))
    }
}
