import Foundation
import Locks
package import TrialModel

/// The folder that a run writes: the rows of each trial as it ends, a description of the run, and its verdict.
///
/// - A trial counts once all its rows are in `trials.csv`, which is written last: these rows are the commit mark. Rows
///   that a crash left without a mark are dropped by ``reopen(at:phases:files:)`` and ignored by ``read(at:)``.
/// - Appended rows are on disk when ``append(_:)`` returns: the measurements before the mark, so that a power cut can't
///   leave a mark without them. That takes milliseconds, between two trials.
/// - One process at a time: the folder is locked as long as the value lives.
///
/// Safe to use from several threads at once.
package final class ResultFolder: Sendable {
    /// The folder's path, as given.
    package let path: String
    private let files: [ResultFile: FileDescriptor]
    private let folder: FileDescriptor
    private let lock = NSLock()
    private let held: Locked<ResultContents>

    private init(
        path: String, folder: FileDescriptor, files: [ResultFile: FileDescriptor],
        contents: sending ResultContents = ResultContents()
    ) {
        self.path = path
        held = Locked(contents)
        self.folder = folder
        self.files = files
    }

    /// The folder's content about trials, in the order of arrival, without distributions and examples. It is kept in
    /// memory, so that the files need not be read again. O(1).
    package var contents: ResultContents { held.withLock { $0 } }

    /// Makes the folder, its missing parents, and every file in it with its header, so that problems show before the
    /// run.
    ///
    /// An empty folder is used as it is. When this throws, it removes everything that it made.
    ///
    /// - Parameter kinds: the files to make.
    package static func create(
        at path: String, files kinds: [ResultFile] = ResultFile.ofRun
    ) throws(ReportsError) -> ResultFolder {
        let made = try Files.makeFolders(path)
        var opened: [String] = []
        do throws(ReportsError) {
            let folder = try Files.lock(folder: path)
            let names = try Files.names(in: path)
            if names.contains(where: { ResultFile(rawValue: $0) != nil }) {
                throw ReportsError.alreadyHoldsResults(path: path)
            }
            if let first = names.first { throw ReportsError.notEmpty(path: path, found: first) }
            var files: [ResultFile: FileDescriptor] = [:]
            // `trials.csv` is made last (`run` lists it first): where it exists, the others do too, even when this
            // process is killed.
            for file in kinds.reversed() {
                let filePath = "\(path)/\(file.rawValue)"
                let descriptor = try FileDescriptor(opening: filePath, flags: O_WRONLY | O_CREAT | O_EXCL | O_APPEND)
                opened.append(filePath)
                try descriptor.append(file.header)
                files[file] = descriptor
            }
            return ResultFolder(path: path, folder: folder, files: files)
        } catch {
            for leftover in opened + made.reversed() { Files.remove(leftover) }
            throw error
        }
    }

    /// Removes the files of a run that was killed while it made its folder: they hold at most their headers, and there is
    /// no `run.json`. Any other folder stays as it is.
    package static func removeUnbegun(at path: String) throws(ReportsError) {
        guard try Files.kind(of: path) == .folder else { return }
        // A run that has just begun holds the lock.
        let folder = try Files.lock(folder: path)
        let names = try Files.names(in: path)
        for name in names {
            guard let file = ResultFile(rawValue: name), let bytes = try bytes(of: name, in: path),
                file.header.utf8.starts(with: bytes)
            else { return }
        }
        for name in names { Files.remove("\(path)/\(name)") }
        withExtendedLifetime(folder) {}
    }

    /// Makes the file of a comparison, also in a folder that holds what is compared. An earlier comparison is replaced.
    package static func ofComparison(at path: String) throws(ReportsError) -> ResultFolder {
        guard try Files.kind(of: path) == .folder, try Files.names(in: path).contains("baseline") else {
            return try create(at: path, files: ResultFile.ofComparison)
        }
        return try reopen(at: path, with: [ComparisonRow]())
    }

    /// Opens a folder with other rows in its only file.
    private static func reopen<Row: ResultRow>(at path: String, with rows: [Row]) throws(ReportsError) -> ResultFolder {
        let folder = try Files.lock(folder: path)
        let file = ResultFile(Row.self)
        try Files.replace("\(path)/\(file.rawValue)", with: file.header + CSVWriter.lines(rows))
        return ResultFolder(path: path, folder: folder, files: try descriptors([file], in: path))
    }

    /// Opens files to append to them.
    private static func descriptors(
        _ files: [ResultFile], in path: String
    ) throws(ReportsError) -> [ResultFile: FileDescriptor] {
        var descriptors: [ResultFile: FileDescriptor] = [:]
        for file in files {
            descriptors[file] = try FileDescriptor(
                opening: "\(path)/\(file.rawValue)", flags: O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK)
        }
        return descriptors
    }

    /// Opens a folder again to continue a run, and drops every row of a trial that is not finished.
    ///
    /// A trial is finished when each phase of its scenario has a row in `trials.csv`, and none of them is `partial`,
    /// `invalid` or `slow`: these say nothing about the strategy. A trial that crashed or hung is finished, since that is its
    /// result. A last line that was cut off is dropped.
    ///
    /// - Parameters:
    ///   - phases: the names of the phases of every scenario of the run.
    ///   - kinds: the files of the folder.
    /// - Returns: the folder, and the trials that need not run again.
    package static func reopen(
        at path: String, phases: [ScenarioPoint: [String]], files kinds: [ResultFile] = ResultFile.ofRun
    ) throws(ReportsError) -> (folder: ResultFolder, finished: Set<TrialIdentity>) {
        guard try Files.kind(of: path) == .folder else { throw .noResults(path: path) }
        let folder = try Files.lock(folder: path)
        let finished = try ResultRepair(path: path, kinds: kinds).run(phases: phases)
        let contents = kinds.contains(.trials) ? try readContents(at: path, withDistributions: false) : ResultContents()
        let files = try descriptors(kinds, in: path)
        return (ResultFolder(path: path, folder: folder, files: files, contents: contents), finished)
    }

    /// Opens the folder of a replay again, with the rows of the traces that are finished.
    package static func reopenReplay(at path: String, keeping rows: [ReplayRow]) throws(ReportsError) -> ResultFolder {
        guard try Files.kind(of: path) == .folder else { throw .noSuchResults(path: path) }
        return try reopen(at: path, with: rows)
    }

    /// Appends all rows of one trial, or of several: measurements first, `trials.csv` last.
    ///
    /// A row without a file in the folder is an error. When this throws, every file is truncated to its earlier size, so
    /// that no part of the trial remains.
    ///
    /// - Parameter consistency: the findings about promises. Examples are written before any row.
    package func append(_ results: [PhaseResult], consistency: [ConsistencyEntry] = []) throws(ReportsError) {
        func lines<Row: MeasurementRow>(_: Row.Type) -> String {
            CSVWriter.lines(results.flatMap { $0[keyPath: Row.place] })
        }
        let measurements = PhaseResult.kinds.map { (ResultFile($0), lines($0)) }
        let rows = try rows(
            measurements + [
                (.consistency, CSVWriter.lines(consistency.map(\.row))),
                (.trials, CSVWriter.lines(results.map(\.trial))),
            ])
        for entry in consistency {
            guard let example = entry.example else { continue }
            _ = try write(example, as: ConsistencyEntry.fileName(of: entry.row), in: ConsistencyEntry.folder)
        }
        try append(try histogramBlocks(results) + rows)
        held.withLock { held in
            held.results += results.map { result in
                var result = result
                result.distributions = []
                return result
            }
            held.consistency += consistency.map { ConsistencyEntry(row: $0.row) }
        }
    }

    /// The text to append to each file in `histograms/`. A missing file is made with its header.
    private func histogramBlocks(_ results: [PhaseResult]) throws(ReportsError) -> [(FileDescriptor, String)] {
        let measured = results.filter { !$0.distributions.isEmpty }
        guard !measured.isEmpty else { return [] }
        _ = try Files.makeFolders("\(path)/\(HistogramLog.folder)")
        var blocks: [(FileDescriptor, String)] = []
        for (name, results) in Dictionary(grouping: measured, by: { HistogramLog.path(of: $0.trial.key.trial) }) {
            let file = try FileDescriptor(
                opening: "\(path)/\(name)", flags: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK)
            let start = results.compactMap(\.startSeconds).min() ?? 0
            let header = try file.size() == 0 ? HistogramLog.header(start: start) : ""
            blocks.append((file, header + results.map(HistogramLog.lines).joined()))
        }
        return blocks
    }

    /// Appends rows that are not part of a trial's results.
    package func append<Row: ResultRow>(_ rows: [Row]) throws(ReportsError) {
        try append(try self.rows([(ResultFile(Row.self), CSVWriter.lines(rows))]))
    }

    /// Writes a text beside the rows, and replaces an earlier one.
    package func write(_ text: String, as name: String) throws(ReportsError) {
        try Files.replace("\(path)/\(name)", with: text)
    }

    /// Writes a text into a subfolder, which is made when it is missing.
    ///
    /// - Returns: the file's path relative to this folder.
    package func write(_ text: String, as name: String, in subfolder: String) throws(ReportsError) -> String {
        _ = try Files.makeFolders("\(path)/\(subfolder)")
        try Files.replace("\(path)/\(subfolder)/\(name)", with: text)
        return "\(subfolder)/\(name)"
    }

    /// The files of some texts, without the empty ones.
    private func rows(
        _ blocks: [(file: ResultFile, text: String)]
    ) throws(ReportsError) -> [(FileDescriptor, String)] {
        var rows: [(FileDescriptor, String)] = []
        for (file, text) in blocks where !text.isEmpty {
            guard let descriptor = files[file] else { throw .noFile(folder: path, file) }
            rows.append((descriptor, text))
        }
        return rows
    }

    private func append(_ blocks: [(FileDescriptor, String)]) throws(ReportsError) {
        lock.lock()
        defer { lock.unlock() }
        var touched: [(file: FileDescriptor, size: Int)] = []
        do throws(ReportsError) {
            for (file, text) in blocks {
                touched.append((file, try file.size()))
                try file.append(text)
                try file.synchronize()
            }
        } catch {
            // The commit mark is removed first: a trial without measurements must never look finished.
            for entry in touched.reversed() { entry.file.cut(to: entry.size) }
            throw error
        }
    }

    /// Writes `verdict.json`, and replaces an earlier one.
    package func writeVerdict(_ verdict: RunVerdict) throws(ReportsError) {
        try write(verdict, to: "verdict.json")
    }

    /// Writes `run.json`, and replaces an earlier one.
    package func writeRun(_ run: RunDescription) throws(ReportsError) {
        try write(run, to: "run.json")
    }

    /// Writes a file that is derived from results, such as a page about them, and replaces an earlier one. Missing
    /// folders are made. A link stays, and so does a device or a pipe, such as `/dev/stdout`, which gets the text.
    package static func writeText(_ text: String, to path: String) throws(ReportsError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().joined(separator: "/")
        if !folder.isEmpty { _ = try Files.makeFolders(folder) }
        switch try Files.kind(of: path) {
        case .folder: throw .system(action: "write", path: path, reason: "it is a folder; name a file")
        case .stream: try FileDescriptor(opening: path, flags: O_WRONLY).append(text)
        case .file: try Files.replace(URL(fileURLWithPath: path).resolvingSymlinksInPath().path, with: text)
        case .nothing: try Files.replace(path, with: text)
        }
    }

    private func write(_ value: some Encodable, to name: String) throws(ReportsError) {
        let path = "\(path)/\(name)"
        let data: Data
        do {
            data = try ResultJSON.encode(value)
        } catch {
            throw .system(action: "encode", path: path, reason: "\(error)")
        }
        lock.lock()
        defer { lock.unlock() }
        try Files.replace(path, with: String(decoding: data, as: UTF8.self))
    }
}
