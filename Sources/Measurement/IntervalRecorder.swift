public import TrialModel

/// A client's recorder that also keeps the records of each interval of a phase separately.
///
/// The end of an interval delays the client for a few microseconds, which affects its next response times under open
/// arrival. Therefore intervals use small sketches: saving complete distributions would take milliseconds.
@usableFromInline
package struct IntervalRecorder: Sendable {
    /// All records of the phase.
    @usableFromInline package var whole: ClientRecorder
    @usableFromInline var sketches = LatencySketches()
    /// The counts by kind and outcome at the start of the current interval.
    private var countsBefore = IntervalCounts()
    private var finished: [IntervalSlice] = []
    /// The number of operations at the last cut.
    private var operationsBefore: UInt64 = 0
    /// The end of the current interval.
    @usableFromInline var end: UInt64 = .max
    private var start: UInt64 = 0
    private var index = 0
    private let length: UInt64
    /// Whether latencies of the current interval are kept.
    @usableFromInline let sketchesLatencies: Bool

    /// - Parameters:
    ///   - measured: `false` for a warm-up, which keeps only counts.
    ///   - length: the length of an interval in nanoseconds; `nil` without intervals, or when they are cut by hand.
    ///   - isCut: whether ``cut()`` ends the intervals.
    package init(measured: Bool, length: UInt64? = nil, isCut: Bool = false) {
        whole = ClientRecorder(measured: measured)
        self.length = length ?? 0
        sketchesLatencies = measured && (self.length > 0 || isCut)
    }

    /// Starts the first interval.
    package mutating func begin(at time: UInt64) {
        start = time
        if length > 0 { end = time &+ length }
    }

    /// Records one operation that ended at a given time.
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
    /// - Returns: how many operations ended in the interval, and their latencies.
    package mutating func cut() -> (operations: UInt64, latencies: [LatencySample]) {
        let operations = whole.operations
        defer {
            operationsBefore = operations
            sketches.reset()
        }
        return (operations &- operationsBefore, OperationKind.allCases.flatMap(sketches.samples))
    }

    /// The records of each interval, in order; empty without intervals.
    package var slices: [IntervalSlice] { length == 0 ? [] : finished + currentSlices }

    /// The records of the current interval by operation, without empty ones.
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

/// The operations of one kind that ended within one interval.
package struct IntervalSlice: Hashable, Sendable {
    /// The index of the interval, from 0.
    package let interval: Int
    package let operation: OperationKind
    package let count: UInt64
    package let hits: UInt64
    /// Lookups that were not hits, with any outcome.
    package let misses: UInt64
    /// The recorded latencies in ascending order, each with its count; empty for a warm-up.
    package let samples: [LatencySample]
}

/// A latency in nanoseconds, with the precision of its histogram or sketch, and its count.
package struct LatencySample: Hashable, Sendable {
    package let nanoseconds: UInt64
    package let count: UInt64
}

/// The number of finished operations by kind up to a moment.
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
