package import Reports
package import TrialModel

/// The figures of many commits, in one CSV file that is read and written as a whole.
///
/// Rows are ordered by time, then by commit, so that equal rows make equal files, and new commits are new lines at the
/// end for version control. Time and memory are proportional to the size of the file.
package struct HistoryFile: Sendable {
    /// The path as given.
    package let path: String
    /// The rows, in file order.
    package private(set) var rows: [HistoryRow]

    /// The key of a figure, which must be unique in a history.
    private struct Figure: Hashable {
        var commit: String
        var series: HistoryRow.Series

        init(_ row: HistoryRow) {
            commit = row.commit
            series = row.series
        }
    }

    /// - Parameter rows: in any order, without duplicate figures of a commit.
    package init(path: String, rows: [HistoryRow]) {
        self.path = path
        self.rows = Self.sorted(rows)
    }

    /// Reads a file.
    ///
    /// - Throws: `HistoryError` with line and column when the file is missing or damaged, and `ReportsError` when it
    ///   cannot be read.
    package static func read(at path: String) throws -> HistoryFile {
        guard try Files.kind(of: path) != .nothing else { throw HistoryError.missing(path: path) }
        let bytes = try Files.read(path)
        var reading = HistoryReading()
        do throws(CSVError) {
            _ = try CSVReader.read(bytes) { record throws(CSVError) in try reading.take(record) }
            guard reading.hasHeader else { throw CSVError(line: 1, problem: "the file is empty, without a header") }
        } catch {
            throw HistoryError.damaged(path: path, line: error.line, problem: error.problem)
        }
        return HistoryFile(path: path, rows: reading.rows)
    }

    /// Changes a file atomically: concurrent readers, and a crash, leave either the old or the new file.
    ///
    /// - Parameters:
    ///   - begins: whether a missing file is created; otherwise it is an error.
    ///   - change: changes the rows; when it throws, the file stays unchanged.
    /// - Throws: `ReportsError` when another process is changing a file of the folder, and the errors of ``read(at:)``.
    package static func change(
        at path: String, begins: Bool = false, _ change: (inout HistoryFile) throws -> Void
    ) throws {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let above = parts.dropLast().joined(separator: "/")
        let folder = above.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : above
        guard try Files.kind(of: folder) != .nothing else { throw HistoryError.missingFolder(path: folder) }
        let lock = try Files.lock(folder: folder)
        try withExtendedLifetime(lock) {
            let isNew = try begins && Files.kind(of: path) == .nothing
            var file = isNew ? HistoryFile(path: path, rows: []) : try read(at: path)
            try change(&file)
            try file.write(to: path)
        }
    }

    /// Replaces the file by all rows: writes a temporary file beside it, syncs it to disk, and renames it.
    package func write(to path: String) throws(ReportsError) {
        try ResultFolder.writeText(ResultFile.history.header + CSVWriter.lines(rows), to: path)
    }

    /// Adds the figures of a commit.
    ///
    /// - Parameter replacing: whether earlier figures of this commit on this machine kind are replaced.
    ///   Acknowledgements are kept.
    package mutating func add(_ added: [HistoryRow], replacing: Bool) throws(HistoryError) {
        let kinds = Set(added.map(\.series.machineKind))
        let commits = Set(added.map(\.commit))
        // An abbreviated hash means the same commit.
        let isEarlier = { (row: HistoryRow) in
            kinds.contains(row.series.machineKind)
                && commits.contains { $0.hasPrefix(row.commit) || row.commit.hasPrefix($0) }
        }
        let earlier = rows.filter(isEarlier)
        if let first = earlier.first, !replacing {
            throw .commitPresent(path: path, commit: first.commit, machineKind: first.series.machineKind)
        }
        let acknowledged = Dictionary(earlier.map { ($0.series, $0.acknowledged) }) { first, _ in first }
        rows.removeAll(where: isEarlier)
        rows += added.map { row in
            var row = row
            if row.acknowledged.isEmpty { row.acknowledged = acknowledged[row.series] ?? "" }
            return row
        }
        rows = Self.sorted(rows)
    }

    /// Adds the figures of another history. Changes that either history acknowledges are acknowledged.
    package mutating func merge(_ other: HistoryFile) throws(HistoryError) {
        var places: [Figure: Int] = [:]
        for (place, row) in rows.enumerated() { places[Figure(row)] = place }
        for row in other.rows {
            guard let place = places[Figure(row)] else {
                rows.append(row)
                continue
            }
            var same = rows[place]
            if same.acknowledged.isEmpty { same.acknowledged = row.acknowledged }
            rows[place] = same
            same.acknowledged = row.acknowledged
            guard same == row else {
                let what = "\(row.series.metric.rawValue) of \(row.series.strategy) in \(row.series.scenario)"
                throw .conflict(path: path, other: other.path, commit: row.commit, what: what)
            }
        }
        rows = Self.sorted(rows)
    }

    /// A selection of a commit's figures; `nil` means all.
    package struct Selection: Sendable {
        package var commit: String
        package var scenario: String?
        package var strategy: String?
        package var metric: Metric?

        package init(
            commit: String, scenario: String? = nil, strategy: String? = nil, metric: Metric? = nil
        ) {
            self.commit = commit
            self.scenario = scenario
            self.strategy = strategy
            self.metric = metric
        }

        func fits(_ row: HistoryRow) -> Bool {
            row.commit.hasPrefix(commit) && scenario.map { $0 == row.series.scenario.name } ?? true
                && strategy.map { $0 == row.series.strategy } ?? true && metric.map { $0 == row.series.metric } ?? true
        }

        var text: String {
            ([commit] + [scenario, strategy, metric?.rawValue].compactMap(\.self)).joined(separator: ", ")
        }
    }

    /// Acknowledges changes at a commit.
    ///
    /// - Parameter reason: one line.
    /// - Returns: the number of acknowledged figures.
    package mutating func acknowledge(_ selection: Selection, reason: String) throws(HistoryError) -> Int {
        guard HistoryRow.isText(reason), !reason.isEmpty else { throw .badText(name: "reason", text: reason) }
        let chosen = rows.indices.filter { selection.fits(rows[$0]) }
        let commits = Set(chosen.map { rows[$0].commit })
        guard commits.count <= 1 else {
            throw .nothingFits(
                path: path, what: "one commit '\(selection.commit)'",
                hint: "these commits begin with it: \(commits.sorted().prefix(5).joined(separator: ", "))")
        }
        guard !chosen.isEmpty else {
            let known = rows.contains { $0.commit.hasPrefix(selection.commit) }
            throw .nothingFits(
                path: path, what: selection.text,
                hint: known
                    ? "the commit has figures of other scenarios, strategies or metrics: leave one out"
                    : "'history show --file \(path)' names the commits of each change")
        }
        for place in chosen { rows[place].acknowledged = reason }
        return chosen.count
    }

    /// Sorts by time and commit, otherwise stably. Files that are already in order only need one pass.
    private static func sorted(_ rows: [HistoryRow]) -> [HistoryRow] {
        func isBefore(_ left: HistoryRow, _ right: HistoryRow) -> Bool {
            left.time == right.time ? left.commit < right.commit : left.time < right.time
        }
        guard zip(rows.dropFirst(), rows).contains(where: isBefore) else { return rows }
        return rows.enumerated().sorted { left, right in
            if isBefore(left.element, right.element) { return true }
            return !isBefore(right.element, left.element) && left.offset < right.offset
        }.map(\.element)
    }
}

/// A file that is being read.
private struct HistoryReading {
    private(set) var rows: [HistoryRow] = []
    private(set) var hasHeader = false
    /// The file's columns: files from before sweeps existed lack the sweep columns.
    private var columns = HistoryRow.columns
    /// The series of each commit.
    private var seen: [String: Set<HistoryRow.Series>] = [:]
    /// Interned texts: a file has few distinct texts and many rows.
    private var texts: Set<String> = []

    mutating func take(_ record: CSVRecord) throws(CSVError) {
        guard hasHeader else {
            hasHeader = true
            return try checkHeader(record.fields)
        }
        guard record.fields.count == columns.count else {
            throw CSVError(
                line: record.line, problem: "\(record.fields.count) fields, where the header has \(columns.count)")
        }
        var row = HistoryRow()
        for (column, text) in zip(columns, record.fields) where !column.read(shared(text), &row) {
            let shown = text.count <= 60 ? text : text.prefix(60) + "…"
            throw CSVError(
                line: record.line, problem: "\(column.name): \"\(DisplayWidth.harmless(shown))\" is not valid here")
        }
        guard seen[row.commit, default: []].insert(row.series).inserted else {
            throw CSVError(
                line: record.line,
                problem: "a second row for \(row.series.metric.rawValue) of \(row.series.strategy) in "
                    + "\(row.series.scenario), \(row.series.phase), at \(row.commit)")
        }
        rows.append(row)
    }

    private mutating func checkHeader(_ names: [String]) throws(CSVError) {
        let expected = columns.map(\.name)
        guard names != expected else { return }
        let withoutSweeps = columns.dropLast(SweepDimension.allCases.count)
        guard names != withoutSweeps.map(\.name) else {
            columns = Array(withoutSweeps)
            return
        }
        let missing = expected.filter { !names.contains($0) }
        let unknown = names.filter { !expected.contains($0) }
        let list =
            (missing.isEmpty ? "" : "; missing: \(missing.joined(separator: ", "))")
            + (unknown.isEmpty
                ? "" : "; unknown: \(DisplayWidth.harmless(String(unknown.joined(separator: ", ").prefix(200))))")
        throw CSVError(
            line: 1, problem: "not the columns of a history\(list.isEmpty ? ", which have another order" : list)")
    }

    private mutating func shared(_ text: String) -> String {
        // Short strings are stored inline.
        text.utf8.count <= 15 ? text : texts.insert(text).memberAfterInsert
    }
}

/// Why a history could not be read or changed. The description says what to do.
package enum HistoryError: Error, Hashable, Sendable {
    /// The file does not exist.
    case missing(path: String)
    /// The folder of the file does not exist.
    case missingFolder(path: String)
    /// The file is damaged, or was not written by this tool.
    case damaged(path: String, line: Int, problem: String)
    /// The file already has the commit on this machine kind.
    case commitPresent(path: String, commit: String, machineKind: String)
    /// Two files have different values for the same commit.
    case conflict(path: String, other: String, commit: String, what: String)
    /// No row matches the request.
    case nothingFits(path: String, what: String, hint: String)
    /// The result has no figures to add.
    case noFigures(result: String, reason: String)
    /// A text is not valid in the file.
    case badText(name: String, text: String)

    /// 65: an input file is bad.
    package var exitCode: TrialExitCode { .badInput }
}

extension HistoryError: CustomStringConvertible {
    /// One line: the place, the problem, and what to do.
    package var description: String {
        switch self {
        case .missing(let path):
            "\(path): there is no such file; 'history add RESULT --file \(path) --commit SHA' begins one"
        case .missingFolder(let path):
            "\(path): there is no such folder; make it, or name another --file"
        case .damaged(let path, let line, let problem):
            "\(path):\(line): \(problem); fix or remove the line, or restore an earlier version of the file. "
                + "Nothing was changed"
        case .commitPresent(let path, let commit, let machineKind):
            "\(path): already has figures of \(commit) on \(machineKind); --replace replaces them"
        case .conflict(let path, let other, let commit, let what):
            "\(path) and \(other) have different figures of \(commit), the first is \(what); "
                + "remove the rows of one of them. Nothing was written"
        case .nothingFits(let path, let what, let hint):
            "\(path): has no figure of \(what); \(hint)"
        case .noFigures(let result, let reason):
            "\(result): \(reason)"
        case .badText(let name, let text):
            "--\(name): '\(text)' has control characters or more than 1,000 bytes; write one line"
        }
    }
}
