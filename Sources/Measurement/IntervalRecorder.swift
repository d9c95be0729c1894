public import TrialModel

/// A client's recorder that also keeps apart what was recorded in each interval of a phase.
///
/// The end of an interval holds up the client for a few microseconds, which the times of its next operations under open
/// arrival show. So an interval has small sketches of its own: writing down whole distributions would take milliseconds.
@usableFromInline
package struct IntervalRecorder: Sendable {
    /// Everything that was recorded.
    @usableFromInline package var whole: ClientRecorder
    @usableFromInline var sketches = LatencySketches()
    /// How often each kind had ended in each way when the current interval began.
    private var countsBefore = IntervalCounts()
    private var finished: [IntervalSlice] = []
    /// How many operations there were when the last interval was cut.
    private var operationsBefore: UInt64 = 0
    /// When the current interval ends.
    @usableFromInline var end: UInt64 = .max
    private var start: UInt64 = 0
    private var index = 0
    private let length: UInt64
    /// Whether latencies of the current interval are kept.
    @usableFromInline let sketchesLatencies: Bool

    /// - Parameters:
    ///   - measured: `false` for a warm-up, of which only counts are kept.
    ///   - length: of an interval in nanoseconds; `nil` when intervals are not told apart, or are cut by hand.
    ///   - isCut: whether ``cut()`` ends the intervals.
    package init(measured: Bool, length: UInt64? = nil, isCut: Bool = false) {
        whole = ClientRecorder(measured: measured)
        self.length = length ?? 0
        sketchesLatencies = measured && (self.length > 0 || isCut)
    }

    /// The first interval begins.
    package mutating func begin(at time: UInt64) {
        start = time
        if length > 0 { end = time &+ length }
    }

    /// Counts one operation that ended at a time.
    @inlinable
    @inline(__always)
    package mutating func record(
        _ operation: OperationKind, _ outcome: Outcome, nanoseconds: UInt64, at time: UInt64
    ) {
        if time >= end { endIntervals(until: time) }
        whole.record(operation, outcome, nanoseconds: nanoseconds)
        if sketchesLatencies { sketches.record(operation, nanoseconds: nanoseconds) }
    }

    @usableFromInline
    @inline(never)
    mutating func endIntervals(until time: UInt64) {
        finished += currentSlices
        countsBefore = IntervalCounts(whole)
        sketches.reset()
        index = Int(clamping: Nanoclock.elapsed(from: start, to: time) / length)
        end = start &+ UInt64(index + 1) &* length
    }

    /// Ends an interval by hand.
    ///
    /// - Returns: how many operations ended in it, and how long they took.
    package mutating func cut() -> (operations: UInt64, latencies: [LatencySample]) {
        let operations = whole.operations
        defer {
            operationsBefore = operations
            sketches.reset()
        }
        return (operations &- operationsBefore, OperationKind.allCases.flatMap(sketches.samples))
    }

    /// What was recorded in each interval, in their order; empty when they are not told apart.
    package var slices: [IntervalSlice] { length == 0 ? [] : finished + currentSlices }

    /// What was recorded in the current interval, by operation, without what is empty.
    private var currentSlices: [IntervalSlice] {
        let counts = IntervalCounts(whole)
        return OperationKind.allCases.compactMap { operation in
            let count = counts.all(operation) &- countsBefore.all(operation)
            guard count > 0 else { return nil }
            return IntervalSlice(
                interval: index, operation: operation, count: count,
                hits: counts.hits(operation) &- countsBefore.hits(operation),
                misses: counts.misses(operation) &- countsBefore.misses(operation),
                samples: sketches.samples(operation))
        }
    }

    /// The memory of the distributions, in bytes.
    package var footprintBytes: UInt64 { whole.footprintBytes + sketches.footprintBytes }
}

/// Operations of one kind that ended within one interval.
package struct IntervalSlice: Hashable, Sendable {
    /// Counted from 0.
    package let interval: Int
    package let operation: OperationKind
    package let count: UInt64
    package let hits: UInt64
    /// Lookups that were no hits, however they ended.
    package let misses: UInt64
    /// How often each latency was recorded, from the shortest to the longest; empty for a warm-up.
    package let samples: [LatencySample]
}

/// A latency in nanoseconds, to the precision of what it was recorded in, and how often it was recorded.
package struct LatencySample: Hashable, Sendable {
    package let nanoseconds: UInt64
    package let count: UInt64
}

/// How often operations of each kind have ended, up to a moment.
private struct IntervalCounts: Sendable {
    private var counts: [OperationKind: (all: UInt64, hits: UInt64, misses: UInt64)] = [:]

    init() {}

    init(_ recorder: ClientRecorder) {
        for operation in OperationKind.allCases {
            var count: (all: UInt64, hits: UInt64, misses: UInt64) = (0, 0, 0)
            for outcome in Outcome.allCases {
                let ended = recorder.count(operation, outcome)
                count.all &+= ended
                switch outcome {
                case .hit: count.hits &+= ended
                case .miss, .joined, .failed, .cancelled: count.misses &+= ended
                case .done: break
                }
            }
            if count.all > 0 { counts[operation] = count }
        }
    }

    func all(_ operation: OperationKind) -> UInt64 { counts[operation]?.all ?? 0 }
    func hits(_ operation: OperationKind) -> UInt64 { counts[operation]?.hits ?? 0 }
    func misses(_ operation: OperationKind) -> UInt64 { counts[operation]?.misses ?? 0 }
}
