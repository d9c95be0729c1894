import Dispatch
import EvictionPolicies
package import TraceFiles

/// A trace replayed against eviction policies, at several sizes at once, over one numbering of its keys.
///
/// Requests are handed to all policies block by block, so that memory does not grow with the trace; the optimum alone
/// must know the future, and keeps 8 bytes of each request.
package struct TraceReplay: Sendable {
    /// What one policy did at one size.
    package struct Result: Sendable {
        package var policy: ReplayPolicy
        /// In entries; `nil` when the size is in bytes.
        package var capacityEntries: Int?
        /// In bytes; `nil` when the size is in entries.
        package var capacityBytes: UInt64?
        package var counts: ReplayCounts
        /// How long the policy took, reading and numbering excluded. Policies that ran side by side share no time.
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

    /// - Parameters:
    ///   - policies: each once.
    ///   - capacities: the sizes.
    ///   - jobs: how many threads replay at once, at least 1.
    package init(policies: [ReplayPolicy], capacities: [ReplayCapacity], jobs: Int) {
        self.policies = policies
        self.capacities = capacities
        self.jobs = max(1, jobs)
    }

    /// Replays one trace file.
    ///
    /// - Throws: `TraceError`: a trace that can't be read to its end gives no result at all.
    /// - Complexity: O(requests · policies · sizes); LRU takes one pass for all sizes in entries.
    package func run(
        path: String, format: TraceFormat? = nil, options: TraceReadingOptions = TraceReadingOptions()
    ) throws(TraceError) -> Outcome {
        let blocks = NumberedBlocks(path: path, format: format, options: options)
        var clock = PhaseClock()
        if capacities.contains(where: \.needsSummary) {
            clock.readingStarts()
            try blocks.forEach { _ in }
            clock.readingStops()
        }
        var runs: [Run] = []
        var notes: [String] = []
        for policy in policies {
            for capacity in capacities {
                let resolved = capacity.resolved(for: blocks.summary ?? TraceSummary())
                if policy == .optimal, case .weight = resolved {
                    let note = "optimal: not known for sizes in bytes; name sizes in entries or per cent"
                    if !notes.contains(note) { notes.append(note) }
                    continue
                }
                runs.append(Run(policy, resolved))
            }
        }
        var future = runs.contains { $0.policy == .optimal } ? [UInt32]() : nil
        clock.readingStarts()
        let group = WorkerGroup(runs, jobs: jobs)
        try blocks.forEach { block in
            clock.readingStops()
            group.advance(block)
            if future != nil { Self.append(block, to: &future) }
            clock.readingStarts()
        }
        clock.readingStops()
        if let future { group.finish(optimal: future) }
        let summary = blocks.summary ?? TraceSummary()
        return Outcome(
            summary: summary, results: runs.map(\.result), readingNanoseconds: clock.reading, notes: notes)
    }

    /// Removals are no requests: the optimum ignores them, which makes it a bound all the same.
    private static func append(_ block: ReplayBlock, to future: inout [UInt32]?) {
        guard !block.operations.isEmpty else {
            future?.append(contentsOf: block.ids)
            return
        }
        for (id, operation) in zip(block.ids, block.operations) where operation != .remove { future?.append(id) }
    }
}
