import Dispatch
import Foundation
import Reports
import Traces
import TrialModel

/// A trace to replay, its policies and sizes, and how its rows are shown.
struct ReplayJob: Sendable {
    let replay: TraceReplay
    let path: String
    /// The name of the trace in the results.
    let name: String
    let traceFormat: TraceFormat?
    let options: TraceReadingOptions
    let sampleRate: Double
    let format: TableFormat
    let curve: Bool
    let timing: Bool

    /// Replays traces one after the other; the rows of each are written and shown as it ends.
    ///
    /// - Throws: `TraceError`, `ReportsError`, and an exit code when standard output can't be written.
    static func run(_ jobs: [ReplayJob], into folder: ResultFolder) throws -> [ReplayRow] {
        try jobs.enumerated().flatMap { index, job in try job.run(into: folder, isLast: index == jobs.count - 1) }
    }

    private func run(into folder: ResultFolder, isLast: Bool) throws -> [ReplayRow] {
        let start = ContinuousClock.now
        let outcome = try replay.run(path: path, format: traceFormat, options: options)
        if timing { StandardError.write("\(path) seconds: \((ContinuousClock.now - start) / .seconds(1))") }
        let rows = outcome.results.map {
            ReplayRow($0, trace: name, hasSizes: outcome.summary.hasSizes, sampleRate: sampleRate)
        }
        try folder.append(rows)
        guard format == .table || format == .markdown else {
            // A table has its notes below it; other formats have no place for them.
            for note in outcome.notes { StandardError.write("\(name): \(note)") }
            return rows
        }
        let caption = Self.caption(outcome)
        let table =
            curve
            ? ReplayTable.curve(rows, trace: name, caption: caption, notes: outcome.notes)
            : ReplayTable.table(rows, trace: name, caption: caption, notes: outcome.notes)
        try StandardOutput.write(
            table.rendered(as: format, width: StandardOutput.width) + (isLast ? "" : "\n"))
        return rows
    }

    private static func caption(_ outcome: TraceReplay.Results) -> String {
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
        self.init()
        (self.trace, policy) = (trace, result.policy.rawValue)
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

/// A thread outside the pool for work that computes for minutes and never waits. With one processor the pool has one
/// thread, so that none would be left to see the signal that ends the work.
final class WorkThread: TaskExecutor {
    private let queue = DispatchQueue(label: "trace-work")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs work on a thread of its own. Cancelling the caller cancels the work.
    static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withTaskExecutorPreference(WorkThread()) { try await perform(work) }
    }

    /// Runs work on a thread of its own, and cancels it when its time is over.
    ///
    /// - Returns: its result; `nil` when the work did not finish.
    static func run<Value: Sendable>(
        within limit: Duration?, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await run(work) }
            if let limit {
                group.addTask {
                    try await Task.sleep(for: limit)
                    return nil
                }
            }
            let value = try await group.next() ?? nil
            group.cancelAll()
            // The error of cancelled work is ignored.
            if value == nil { _ = try? await group.next() }
            return value
        }
    }

    @concurrent
    private static func perform<Value: Sendable>(_ work: @Sendable () throws -> Value) async throws -> Value {
        try work()
    }
}
