import EvictionPolicies
package import TrialModel

/// The main characteristics of a trace.
package struct TraceDescription: Sendable {
    package var summary: TraceSummary
    /// The number of keys that are requested only once.
    package var oneHitWonders = 0
    /// The exponent of a Zipf law fitted to the popularity of the keys; `nil` when there are too few keys.
    package var zipfExponent: Double?
    /// The share of all requests that go to the most popular key, from 0 to 1.
    package var topKeyShare = 0.0
    /// The number of different keys in each tenth of the trace.
    package var workingSets: [Int] = []
    /// The number of requests by reuse distance, which is the number of other keys since the last request for the
    /// same key: below 1, 2, 4 and so on.
    package var reuseDistances: [(below: Int, requests: Int)] = []
    /// The trace in fifty intervals; none where it has fewer requests.
    package private(set) var intervals: [TraceTimeline.Interval] = []
    /// The number of requests for a key that appears for the first time.
    package var firstRequests = 0

    /// The number of slices in ``workingSets``.
    private static let sliceCount = 10

    /// Reads a trace and describes it. O(requests), twice.
    ///
    /// - Throws: `TraceError` when the trace can't be read to its end.
    package init(
        path: String, format: TraceFormat? = nil, options: TraceReadingOptions = TraceReadingOptions()
    ) throws(TraceError) {
        let blocks = try NumberedBlocks(path: path, format: format, options: options, wantsTimes: true)
        var times: ClosedRange<UInt64>?
        var counts: [UInt32] = []
        var distances = StackDistances()
        try blocks.forEach(isRepeated: true) { block in
            if let low = block.times.min(), let high = block.times.max() {
                times = min(times?.lowerBound ?? low, low)...max(times?.upperBound ?? high, high)
            }
            block.forEachLookup { id in
                let index = Int(id)
                while counts.count <= index { counts.append(0) }
                counts[index] = counts[index] == .max ? .max : counts[index] + 1
                distances.request(id)
            }
        }
        summary = blocks.summary ?? TraceSummary()
        oneHitWonders = counts.count { $0 == 1 }
        firstRequests = counts.count { $0 > 0 }
        let ranked = counts.sorted(by: >)
        topKeyShare = summary.requests == 0 ? 0 : Double(ranked.first ?? 0) / Double(summary.requests)
        zipfExponent = TraceCharacter.popularity(ranked)?.exponent.value
        reuseDistances = Self.histogram(distances)
        var timeline = TraceTimeline(summary, times: times)
        workingSets = try Self.workingSets(blocks, summary) { timeline.note($0) }
        timeline.finish()
        intervals = timeline.intervals
    }

    private static func histogram(_ distances: borrowing StackDistances) -> [(below: Int, requests: Int)] {
        let curve = distances.missCurve()
        var bins: [(below: Int, requests: Int)] = []
        var lower = 0
        var upper = 1
        while lower < curve.count - 1 {
            let end = min(upper, curve.count - 1)
            bins.append((upper, curve[lower] - curve[end]))
            lower = end
            upper *= 2
        }
        return bins
    }

    private static func workingSets(
        _ blocks: NumberedBlocks, _ summary: TraceSummary, _ note: (ReplayBlock) -> Void
    ) throws(TraceError) -> [Int] {
        guard summary.requests >= sliceCount else { return [] }
        var sets = [Int](repeating: 0, count: sliceCount)
        /// The slice in which each key was last seen, plus 1.
        var seen = [UInt8](repeating: 0, count: summary.keys)
        var position = 0
        try blocks.forEach { block in
            note(block)
            block.forEachLookup { id in
                let slice = min(sliceCount - 1, position * sliceCount / summary.requests)
                if seen[Int(id)] != UInt8(slice + 1) {
                    seen[Int(id)] = UInt8(slice + 1)
                    sets[slice] += 1
                }
                position += 1
            }
        }
        return sets
    }
}
