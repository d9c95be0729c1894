import ArgumentParser
import Foundation
import Reports
import Traces
import TrialModel

/// Traces replayed one after the other, their rows written as each ends.
struct ReplayWork: Sendable {
    let replay: TraceReplay
    /// The paths, and what the results call them.
    let traces: [(path: String, name: String)]
    let traceFormat: TraceFormat?
    let options: TraceReadingOptions
    let sampleRate: Double
    /// The folder for the results; `nil` for one with the time as its name.
    let output: String?
    let format: TableFormat
    let curve: Bool
    let timing: Bool

    /// - Throws: an exit code, with the reason on standard error.
    func carryOut() throws {
        var rows: [ReplayRow] = []
        var results: ResultFolder?
        do {
            let folder = try makeFolder()
            results = folder
            for index in traces.indices {
                let found = try replayTrace(index, into: folder)
                rows += found
            }
        } catch let error as TraceError {
            let isInterrupted = error.reason == .interrupted
            if !isInterrupted { StandardError.error("\(error)") }
            if let results { breakOff(results, isEmpty: rows.isEmpty, isInterrupted ? "Interrupted" : "Broke off") }
            throw ExitCode(TrialExitCode.badInput.rawValue)
        } catch let error as ReportsError {
            StandardError.error("\(error)")
            throw ExitCode(error.exitCode.rawValue)
        }
        if let results { StandardError.write("Results: \(results.path)") }
        if format == .csv || format == .json {
            try StandardOutput.write(ReplayTable.tidy(rows).rendered(as: format))
        }
    }

    /// Adds the rows to a folder that somebody else has made.
    ///
    /// - Throws: an exit code, with the reason on standard error.
    func carryOut(into folder: ResultFolder) throws {
        do {
            for index in traces.indices { _ = try replayTrace(index, into: folder) }
        } catch let error as TraceError {
            if error.reason != .interrupted { StandardError.error("\(error)") }
            throw ExitCode(TrialExitCode.badInput.rawValue)
        }
    }

    private func replayTrace(_ index: Int, into folder: ResultFolder) throws -> [ReplayRow] {
        let (path, name) = traces[index]
        let start = ContinuousClock.now
        let outcome = try replay.run(path: path, format: traceFormat, options: options)
        if timing { StandardError.write("\(path) seconds: \((ContinuousClock.now - start) / .seconds(1))") }
        let rows = outcome.results.map {
            ReplayRow($0, trace: name, hasSizes: outcome.summary.hasSizes, sampleRate: sampleRate)
        }
        try folder.append(rows)
        guard format == .table || format == .markdown else {
            // A table has its notes below it; data have no place for them.
            for note in outcome.notes { StandardError.write("\(name): \(note)") }
            return rows
        }
        let caption = Self.caption(outcome)
        let table =
            curve
            ? ReplayTable.curve(rows, trace: name, caption: caption, notes: outcome.notes)
            : ReplayTable.table(rows, trace: name, caption: caption, notes: outcome.notes)
        try StandardOutput.write(
            table.rendered(as: format, width: Terminal.standardOutput().width)
                + (index == traces.count - 1 ? "" : "\n"))
        return rows
    }

    /// The result folder, made before anything runs. A replay may take less than the second that a folder's name tells
    /// apart; the next one then has a number behind its name.
    private func makeFolder() throws(ReportsError) -> ResultFolder {
        if let output { return try ResultFolder.create(at: output, files: ResultFile.ofReplay) }
        let name = ThisProgram.defaultOutput()
        var number = 1
        while true {
            do throws(ReportsError) {
                let path = number == 1 ? name : "\(name)-\(number)"
                return try ResultFolder.create(at: path, files: ResultFile.ofReplay)
            } catch .alreadyHoldsResults where number < 100 {
                number += 1
            }
        }
    }

    /// Says where the traces before a bad one are; a folder that nobody asked for and that has no row goes again.
    private func breakOff(_ results: ResultFolder, isEmpty: Bool, _ word: String) {
        if output == nil, isEmpty {
            try? FileManager.default.removeItem(atPath: results.path)
            if word == "Interrupted" { StandardError.write("Interrupted; nothing was finished") }
        } else {
            StandardError.write("\(word); what was finished is in \(results.path)")
        }
    }

    private static func caption(_ outcome: TraceReplay.Outcome) -> String {
        let summary = outcome.summary
        let seconds = Double(outcome.readingNanoseconds) / 1e9
        let rate = seconds > 0 ? ", read at \(Quantity.rate(Double(summary.requests) / seconds)) requests/s" : ""
        let removals = summary.removals > 0 ? ", \(summary.removals) removals" : ""
        return "\(summary.requests) requests\(removals), \(summary.keys) keys, format "
            + "\(summary.format?.rawValue ?? "unknown")\(rate)."
    }
}

extension ReplayRow {
    /// The row of a result.
    init(_ result: TraceReplay.Result, trace: String, hasSizes: Bool, sampleRate: Double) {
        let seconds = Double(result.nanoseconds) / 1e9
        self.init(trace: trace, policy: result.policy.rawValue)
        capacity = Capacity(
            entries: result.capacityEntries, bytes: result.capacityBytes.map { Int(clamping: $0) })
        (requests, hits, misses) = (result.counts.requests, result.counts.hits, result.counts.misses)
        hitRatio = result.hitRatio
        if hasSizes, hitRatio != nil { byteHitRatio = result.counts.byteHitRatio }
        self.sampleRate = sampleRate
        hitRatioError = result.hitRatioError
        if seconds > 0 { requestsPerSecond = Double(result.counts.requests) / seconds }
    }
}
