import EvictionPolicies
package import TraceFiles

/// A trace replayed against eviction policies, at several sizes at once, over one numbering of its keys.
///
/// Requests are handed to all policies block by block, so that memory does not grow with the trace; the optimum alone
/// must know the future, and keeps 8 bytes of each request. LRU takes one pass for all its sizes in entries.
package struct TraceReplay: Sendable {
    /// What one policy did at one size.
    package struct Result: Sendable {
        package var policy: ReplayPolicy
        /// In entries; `nil` when the size is in bytes.
        package var capacityEntries: Int?
        /// In bytes; `nil` when the size is in entries.
        package var capacityBytes: UInt64?
        /// Of what was replayed, which may be a sample.
        package var counts: ReplayCounts
        /// From 0 to 1; of the whole trace, estimated where a sample was replayed. `nil` without requests.
        package var hitRatio: Double?
        /// The standard error of ``hitRatio``; `nil` when all was replayed.
        package var hitRatioError: Double?
        /// How long the policy took, reading and numbering excluded.
        package var nanoseconds: UInt64
    }

    /// What a replay of one trace gave.
    package struct Outcome: Sendable {
        package var summary: TraceSummary
        /// Policy by policy, each from the first size to the last.
        package var results: [Result]
        /// How long reading and numbering took.
        package var readingNanoseconds: UInt64
        /// What could not be replayed, and why; a line each.
        package var notes: [String]
    }

    private let policies: [ReplayPolicy]
    private let capacities: [ReplayCapacity]
    private let jobs: Int
    private let sample: SpatialSample

    /// One policy works on requests that are still in the nearest memory. Where many take turns, each brings its own
    /// state there again, and should find more to do.
    private var blockRequestCount: Int { policies.count * capacities.count > 2 ? 1 << 16 : 1 << 14 }

    /// So many sizes of LRU are worth a pass that gives all of them.
    private static let curveSizesMin = 3

    /// - Parameters:
    ///   - policies: each once.
    ///   - capacities: the sizes.
    ///   - jobs: how many threads replay at once, at least 1.
    ///   - sampleRate: the share of the keys to replay, above 0 and at most 1.
    package init(policies: [ReplayPolicy], capacities: [ReplayCapacity], jobs: Int = 1, sampleRate: Double = 1) {
        self.policies = policies
        self.capacities = capacities
        self.jobs = max(1, jobs)
        sample = SpatialSample(rate: sampleRate)
    }

    /// Replays one trace file.
    ///
    /// - Throws: `TraceError`: a trace that can't be read to its end gives no result at all.
    /// - Complexity: O(requests · policies · sizes).
    package func run(
        path: String, format: TraceFormat? = nil, options: TraceReadingOptions = TraceReadingOptions()
    ) throws(TraceError) -> Outcome {
        var clock = PhaseClock()
        let blocks = try NumberedBlocks(
            path: path, format: format, options: options, blockRequestCount: blockRequestCount)
        if capacities.contains(where: \.needsSummary) { try blocks.forEach(isRepeated: true) { _ in } }
        clock.readingStops()
        let known = blocks.summary ?? TraceSummary()
        let (plans, notes) = plans(for: known, removes: blocks.format.columns.contains(.operation))
        let runs = plans.flatMap(\.runs)
        let group = WorkerGroup(runs, jobs: jobs)
        var futures = [[UInt32]](repeating: [], count: policies.contains(.optimal) ? sample.laneCount : 0)
        var splitter = LaneSplitter(sample)
        clock.readingStarts()
        try blocks.forEach { block in
            clock.readingStops()
            splitter.split(block) { lanes in
                group.perform { $0.advance(lanes[$0.lane]) }
                for lane in futures.indices { Self.append(lanes[lane], to: &futures[lane]) }
            }
            clock.readingStarts()
        }
        clock.readingStops()
        if !futures.isEmpty {
            let next = futures.map { NextRequests(ids: $0).indices }
            group.perform { $0.finish(nextRequests: next[$0.lane]) }
        }
        let summary = blocks.summary ?? known
        return Outcome(
            summary: summary, results: plans.flatMap { results(of: $0, requests: summary.requests) },
            readingNanoseconds: clock.reading, notes: notes)
    }

    /// The runs of one policy at some sizes, each lane having them all.
    private struct Plan {
        var sizes: [PolicyCapacity]
        var lanes: [[any ReplayRun]]

        var runs: [any ReplayRun] { lanes.flatMap { $0 } }
    }

    private func plans(for trace: TraceSummary, removes: Bool) -> ([Plan], notes: [String]) {
        let sizes = capacities.map { $0.resolved(for: trace) }
        var plans: [Plan] = []
        var notes: [String] = []
        for policy in policies {
            var own = sizes
            if policy == .optimal, own.contains(where: \.isWeight) {
                notes.append("optimal: not known for sizes in bytes; name sizes in entries or per cent")
                own.removeAll(where: \.isWeight)
            }
            let entries = own.compactMap(\.entries)
            let isCurve =
                policy == .lru && !removes && entries.count == own.count && entries.count >= Self.curveSizesMin
            let lanes = (0..<sample.laneCount).map { lane -> [any ReplayRun] in
                let scaled = own.map { $0.scaled { sample.scale($0, lane: lane) } }
                if isCurve { return [LRUCurveRun(entries: scaled.compactMap(\.entries), lane: lane)] }
                return scaled.map { PolicyRun(policy, $0, lane: lane) }
            }
            plans.append(Plan(sizes: own, lanes: lanes))
        }
        return (plans, notes)
    }

    private func results(of plan: Plan, requests: Int) -> [Result] {
        let lanes = plan.lanes.map { $0.flatMap(\.results) }
        return plan.sizes.indices.compactMap { index in
            guard var result = lanes.first.flatMap({ index < $0.count ? $0[index] : nil }) else { return nil }
            guard sample.rate < 1 else { return result }
            (result.capacityEntries, result.capacityBytes) = (plan.sizes[index].entries, plan.sizes[index].weightBytes)
            result.hitRatio = sample.estimate(result.counts, lane: 0, requests: UInt64(requests))
            let parts = lanes.indices.dropFirst().compactMap { lane in
                sample.estimate(lanes[lane][index].counts, lane: lane, requests: UInt64(requests))
            }
            result.hitRatioError = Self.standardError(parts)
            return result
        }
    }

    private static func standardError(_ values: [Double]) -> Double? {
        guard values.count > 1 else { return nil }
        let mean = values.reduce(0, +) / Double(values.count)
        let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)
        return (variance / Double(values.count)).squareRoot()
    }

    /// Removals are no requests: the optimum ignores them, which makes it a bound all the same.
    private static func append(_ block: ReplayBlock, to future: inout [UInt32]) {
        guard !block.operations.isEmpty else {
            future.append(contentsOf: block.ids)
            return
        }
        for (id, operation) in zip(block.ids, block.operations) where operation != .remove { future.append(id) }
    }
}

extension PolicyCapacity {
    var entries: Int? { if case .entries(let entries) = self { entries } else { nil } }
    var weightBytes: UInt64? { if case .weight(let bytes) = self { bytes } else { nil } }
    var isWeight: Bool { weightBytes != nil }

    func scaled(_ scale: (UInt64) -> UInt64) -> PolicyCapacity {
        switch self {
        case .entries(let entries): .entries(Int(clamping: scale(UInt64(max(0, entries)))))
        case .weight(let bytes): .weight(scale(bytes))
        }
    }
}
