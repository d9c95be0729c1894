package import EvictionPolicies
import Platform
package import TrialModel

/// A replay of a trace against eviction policies, at several sizes at once, with one numbering of its keys.
///
/// All policies process the requests block by block, so that memory does not grow with the trace; only a
/// bound that must know the future keeps all requests. LRU takes one pass for all its sizes in entries.
package struct TraceReplay: Sendable {
    /// The result of one policy at one size.
    package struct Result: Sendable {
        package var policy: ReplayPolicy
        package var capacity: PolicyCapacity
        /// The counts of the replayed requests, which may be a sample.
        package var counts: ReplayCounts
        /// The hit ratio of the whole trace, from 0 to 1; an estimate where a sample was replayed. `nil` without
        /// requests, and where the sample gives no estimate.
        package var hitRatio: Double?
        /// The standard error of ``hitRatio``; `nil` when the whole trace was replayed.
        package var hitRatioError: Double?
        /// The time that the policy took, without reading and numbering, in nanoseconds.
        package var nanoseconds: UInt64

        init(policy: ReplayPolicy, capacity: PolicyCapacity, counts: ReplayCounts, nanoseconds: UInt64) {
            (self.policy, self.capacity, self.counts, self.nanoseconds) = (policy, capacity, counts, nanoseconds)
            hitRatio = counts.hitRatio
        }
    }

    /// What one policy at one size counted in a part of the trace's time.
    package struct Interval: Sendable, Hashable {
        package var policy: ReplayPolicy
        package var capacity: PolicyCapacity
        /// When it begins, since the first request.
        package var startNanoseconds: UInt64
        package var requests: UInt64
        package var hits: UInt64
    }

    /// The results of the replay of one trace.
    package struct Results: Sendable {
        package var summary: TraceSummary
        /// The results by policy, each from the first size to the last.
        package var results: [Result]
        /// The intervals of time, where some were asked for; without bounds that decide at the end of the trace.
        package var intervals: [Interval] = []
        /// The time that reading and numbering took, in nanoseconds.
        package var readingNanoseconds: UInt64
        /// What could not be replayed, and why; one line each.
        package var notes: [String]
    }

    let policies: [ReplayPolicy]
    let capacities: [ReplayCapacity]
    private let jobs: Int
    let sample: SpatialSample
    private let optimumRequestCountMax: Int?
    let warmUp: WarmUp?
    /// Whether entries expire, where the trace has lifetimes.
    let keepsLifetimes: Bool
    /// The length of the intervals whose hits are counted, in nanoseconds; `nil` for none.
    let overTime: UInt64?

    /// A single policy gets blocks that stay in the nearest cache. Where many policies take turns, each loads its own
    /// state again for every block, so blocks are larger.
    private var blockRequestCount: Int { policies.count * capacities.count > 2 ? 1 << 16 : 1 << 14 }

    /// - Parameters:
    ///   - policies: each at most once.
    ///   - capacities: the sizes.
    ///   - jobs: the number of threads that replay at once, at least 1.
    ///   - sampleRate: the share of the keys to replay, above 0 and at most 1.
    ///   - seed: selects another sample.
    ///   - optimumRequestCountMax: the optimum is left out, with a note, when it would have to keep more requests
    ///     than this; `nil` when it was requested by name, and too many requests are an error.
    ///   - warmUp: the requests at the beginning that are not counted.
    ///   - keepsLifetimes: whether entries expire, where the trace has lifetimes.
    ///   - overTime: the length of the intervals whose hits are counted as well, in nanoseconds; without a sample.
    package init(
        policies: [ReplayPolicy], capacities: [ReplayCapacity], jobs: Int = 1, sampleRate: Double = 1,
        seed: UInt64 = 1, optimumRequestCountMax: Int? = nil, warmUp: WarmUp? = nil,
        keepsLifetimes: Bool = true, overTime: UInt64? = nil
    ) {
        self.policies = policies
        self.capacities = capacities
        self.jobs = max(1, jobs)
        sample = SpatialSample(rate: sampleRate, seed: seed)
        self.optimumRequestCountMax = optimumRequestCountMax
        self.warmUp = warmUp
        self.keepsLifetimes = keepsLifetimes
        self.overTime = overTime
    }

    /// Replays one trace file. A cancelled task stops at the next block.
    ///
    /// - Parameters:
    ///   - path: a file, or standard input, which no work that reads a trace twice may take.
    ///   - misses: the file for the misses, of one policy of one size that doesn't know the future, without a sample; see
    ///     ``MissStream``.
    /// - Throws: `TraceError`: a trace that can't be read to its end gives no result at all.
    /// - Complexity: O(requests · policies · sizes).
    package func run(
        path: String, format: TraceFormat? = nil, options: TraceReadingOptions = TraceReadingOptions(),
        missesTo misses: String? = nil
    ) throws(TraceError) -> Results {
        var reading = Stopwatch(isRunning: true)
        let blocks = try NumberedBlocks(
            path: path, format: format, options: options, namesKeys: sample.isPartial,
            wantsTimes: warmUp?.needsTimes ?? false || overTime != nil, wantsLifetimes: keepsLifetimes,
            keepsRecords: misses != nil,
            blockRequestCount: blockRequestCount)
        try requireSizes(of: blocks)
        var splitter = LaneSplitter(sample)
        try requireTimes(of: blocks)
        if capacities.contains(where: \.needsWholeTrace) || warmUp?.needsWholeTrace ?? false {
            try blocks.forEach(isRepeated: true) { splitter.draw($0) }
            splitter.complete()
        }
        reading.stop()
        var (plans, notes) = plans(for: blocks, shares: blocks.summary.flatMap { splitter.shares(of: $0.keys) })
        var missStream: MissStream?
        if let misses { missStream = try MissStream(path: misses, columns: blocks.columns) }
        var pass = ReplayPass(plans, splitter, blocks, self, jobs: jobs, optimumRequestCountMax: optimumRequestCountMax)
        reading.start()
        try blocks.forEach { block throws(TraceError) in
            reading.stop()
            let start = try pass.advance(block)
            if let missStream, let start, let run = plans[0].runs[0] as? PolicyRun {
                try missStream.append(block, from: start, run.isHit, texts: blocks.keyTexts)
            }
            reading.start()
        }
        reading.stop()
        if pass.futures.isTooLong {
            notes.append(try noteOfTooLong(path, blocks))
            plans.removeAll { $0.policy.clairvoyant != nil }
        } else {
            pass.finish()
        }
        var summary = blocks.summary ?? TraceSummary()
        summary.warmUpRequests = pass.warmUpEnd.lookups
        guard summary.warmUpRequests == 0 || summary.warmUpRequests < summary.requests else {
            throw blocks.error(
                .unusableColumns(found: "a warm-up of all requests", allowed: "a warm-up that leaves requests to count")
            )
        }
        try missStream?.finish()
        if let missStream { notes.append(missStream.note) }
        let results = results(of: plans, summary: summary, keyCounts: pass.splitter.keyCounts, notes: &notes)
        return Results(
            summary: summary, results: results, intervals: pass.overTime?.intervals ?? [],
            readingNanoseconds: reading.nanoseconds, notes: notes)
    }

    private func requireSizes(of blocks: NumberedBlocks) throws(TraceError) {
        guard !blocks.columns.contains(.size), capacities.contains(where: \.isBytes) else { return }
        throw blocks.error(
            .unusableColumns(found: "no sizes", allowed: "sizes, or capacities in entries (1000) or per cent (5%)"))
    }

    private func requireTimes(of blocks: NumberedBlocks) throws(TraceError) {
        if overTime != nil, !blocks.columns.contains(.time) {
            throw blocks.error(.unusableColumns(found: "no times", allowed: "times, for hits over time"))
        }
        guard warmUp?.needsTimes ?? false, !blocks.columns.contains(.time) else { return }
        throw blocks.error(
            .unusableColumns(found: "no times", allowed: "times, or a warm-up of requests (20%, 100000)"))
    }

    private func noteOfTooLong(_ path: String, _ blocks: NumberedBlocks) throws(TraceError) -> String {
        guard let limit = optimumRequestCountMax, limit < NextRequests.countMax else {
            throw blocks.error(.tooMany("requests for the optimum", limit: NextRequests.countMax))
        }
        return "optimal: left out, because it keeps 8 bytes for each of more than \(limit) requests; name it to "
            + "replay it nevertheless, or use a sample"
    }
}

extension PolicyCapacity {
    package var entries: Int? { if case .entries(let entries) = self { entries } else { nil } }
    package var weightBytes: UInt64? { if case .weight(let bytes) = self { bytes } else { nil } }
    var isWeight: Bool { weightBytes != nil }

    /// The size of a cache for a share of the keys.
    func scaled(by share: Double) -> PolicyCapacity {
        switch self {
        case .entries(let entries):
            .entries(Int(clamping: SpatialSample.scale(UInt64(max(0, entries)), by: share)))
        case .weight(let bytes): .weight(SpatialSample.scale(bytes, by: share))
        }
    }

    /// The number of entries that the cache holds; for a size in bytes, of entries of the mean size.
    func entries(in trace: TraceSummary) -> Double {
        switch self {
        case .entries(let entries): Double(entries)
        case .weight(let bytes): Double(bytes) / max(1, Double(trace.uniqueBytes) / Double(max(1, trace.keys)))
        }
    }
}
