import ArgumentParser
import EvictionPolicies
import Foundation
import Reports
import Traces
import TrialModel

extension ReplayRatio: ExpressibleByArgument {}

/// A trace to replay, its policies and sizes, and how its rows are shown.
struct ReplayJob: Sendable {
    let replay: TraceReplay
    let path: String
    /// The name of the trace in the results.
    let name: String
    let traceFormat: TraceFormat?
    let options: TraceReadingOptions
    let command: ReplayCommand

    /// Replays traces one after the other; the rows of each are written and shown as it ends.
    ///
    /// - Throws: `TraceError`, `ReportsError`, and an exit code when standard output can't be written.
    static func run(_ jobs: [ReplayJob], into folder: ResultFolder) throws -> [ReplayRow] {
        try jobs.enumerated().flatMap { index, job in try job.run(into: folder, isLast: index == jobs.count - 1) }
    }

    private func run(into folder: ResultFolder, isLast: Bool) throws -> [ReplayRow] {
        let start = ContinuousClock.now
        let outcome = try replay.run(
            path: path, format: traceFormat, options: options, missesTo: command.misses)
        if command.timing { StandardError.write("\(path) seconds: \((ContinuousClock.now - start) / .seconds(1))") }
        var notes = outcome.notes
        if let warmUp = Self.warmUp(outcome.summary) { notes.append(warmUp) }
        var cost = try command.cost.missCost()
        if command.cost.bandwidth != nil, !outcome.summary.hasSizes {
            notes.append("bandwidth: the trace has no sizes, so that no cost is known")
            cost = MissCost(nanosecondsPerMiss: 0, nanosecondsPerByte: 0)
        }
        let rows = outcome.results.map {
            ReplayRow($0, trace: name, summary: outcome.summary, sampleRate: command.sample, cost: cost)
        }
        if let note = Self.expirations(rows) { notes.append(note) }
        let hasCosts = cost != nil || outcome.results.contains { $0.counts.costRequested > 0 }
        if command.sample < 1, outcome.summary.hasSizes || hasCosts {
            notes.append("sample: byte hit ratio and cost saved are not estimated; leave out --sample for them")
        }
        if command.by == .bytes, !outcome.summary.hasSizes {
            notes.append("bytes: the trace has no sizes")
        } else if command.by == .cost, rows.allSatisfy({ $0.costSaved == nil }), command.cost.bandwidth == nil {
            notes.append("cost: not known; name --origin-time, or a column 'cost' of the trace")
        }
        if command.by != .hits, rows.contains(where: { $0.policy.hasPrefix("pfoo") || $0.policy == "optimal" }) {
            notes.append("optimal, pfoo-l and pfoo-u are bounds of hits, and of nothing else")
        }
        if command.overTime != nil {
            let intervals = outcome.intervals.map { ReplayIntervalRow($0, trace: name) }
            try folder.append(intervals)
            let count = Set(intervals.map(\.startNanoseconds)).count
            notes.append(
                "over time: \(count) \(count == 1 ? "interval is" : "intervals are") in replay_intervals.csv; "
                    + "'\(ThisProgram.name) report' draws their hit ratios")
        }
        try folder.append(rows)
        guard let format = command.printing.format.peoples else {
            // A table has its notes below it; other formats have no place for them.
            for note in [outcome.summary.readAs] + notes { StandardError.write("\(name): \(note)") }
            return rows
        }
        let caption = Self.caption(outcome)
        let table =
            command.curve
            ? ReplayTable.curve(rows, by: command.by, trace: name, caption: caption, notes: notes)
            : ReplayTable.table(rows, by: command.by, trace: name, caption: caption, notes: notes)
        try command.write(
            "\(name): \(outcome.summary.readAs)\n" + table.rendered(as: format, width: StandardOutput.width)
                + (isLast ? "" : "\n"))
        return rows
    }

    /// Which requests are not counted; `nil` when all are.
    private static func warmUp(_ summary: TraceSummary) -> String? {
        guard let share = summary.warmUpShare else { return nil }
        return "warm-up: the first \(summary.warmUpRequests) of \(summary.requests) requests "
            + "(\(DecimalText.fixed(100 * share, places: 1)) %) are not counted"
    }

    /// How often entries had expired; `nil` where none can.
    private static func expirations(_ rows: [ReplayRow]) -> String? {
        let what = (rows.first?.sampleRate ?? 1) < 1 ? "lookups of the sample" : "lookups"
        let counts = rows.compactMap { row in row.expirations.map { (row, $0) } }
        guard let most = counts.max(by: { $0.1 < $1.1 }), most.0.requests > 0 else { return nil }
        let share = DecimalText.fixed(100 * Double(most.1) / Double(most.0.requests), places: 1)
        return
            "lifetimes: up to \(most.1) \(what) (\(share) %, \(most.0.policy)) found an entry that had expired; they are "
            + "misses"
    }

    private static func caption(_ outcome: TraceReplay.Results) -> String {
        let summary = outcome.summary
        let seconds = Double(outcome.readingNanoseconds) / 1e9
        let rate = seconds > 0 ? ", read at \(Quantity.rate(Double(summary.requests) / seconds)) requests/s" : ""
        let removals = summary.removals > 0 ? ", \(summary.removals) removals" : ""
        return "\(summary.requests) requests\(removals), \(summary.keys) keys\(rate)."
    }
}

extension ReplayIntervalRow {
    /// The row of an interval.
    init(_ interval: TraceReplay.Interval, trace: String) {
        self.init()
        (self.trace, policy) = (trace, interval.policy.name)
        capacity = Capacity(
            entries: interval.capacity.entries, bytes: interval.capacity.weightBytes.map { Int(clamping: $0) })
        (startNanoseconds, requests, hits) = (interval.startNanoseconds, interval.requests, interval.hits)
        hitRatio = Double(interval.hits) / Double(interval.requests)
    }
}

extension ReplayRow {
    /// The row of a result.
    init(_ result: TraceReplay.Result, trace: String, summary: TraceSummary, sampleRate: Double, cost: MissCost?) {
        let seconds = Double(result.nanoseconds) / 1e9
        self.init()
        (self.trace, policy) = (trace, result.policy.name)
        capacity = Capacity(
            entries: result.capacity.entries, bytes: result.capacity.weightBytes.map { Int(clamping: $0) })
        (requests, hits, misses) = (result.counts.requests, result.counts.hits, result.counts.misses)
        expirations = result.counts.expirations
        hitRatio = result.hitRatio
        // The bytes and costs of a sample are those of the popular keys that are in it by chance.
        if hitRatio != nil, sampleRate == 1 {
            if summary.hasSizes { byteHitRatio = result.counts.byteHitRatio }
            costSaved = result.counts.costSaved(cost)
        }
        self.sampleRate = sampleRate
        hitRatioError = result.hitRatioError
        warmUpShare = summary.warmUpShare
        if seconds > 0 { requestsPerSecond = Double(result.counts.requests) / seconds }
    }
}
