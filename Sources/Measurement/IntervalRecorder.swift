public import TrialModel

/// A client's recorder that also keeps apart what was recorded in each interval of a phase.
///
/// Recording costs one comparison more than a ``ClientRecorder``. Only at the end of an interval its distributions are
/// written down as the few values that they hold, and added to the whole.
@usableFromInline
package struct IntervalRecorder: Sendable {
    /// What was recorded in the current interval.
    @usableFromInline var current: ClientRecorder
    /// What was recorded in the intervals before.
    private var before: ClientRecorder
    private var finished: [IntervalSlice] = []
    /// When the current interval ends.
    @usableFromInline var end: UInt64 = .max
    private var start: UInt64 = 0
    private var index = 0
    private let length: UInt64

    /// - Parameters:
    ///   - measured: `false` for a warm-up, of which only counts are kept.
    ///   - length: of an interval in nanoseconds; `nil` when intervals are not told apart.
    package init(measured: Bool, length: UInt64? = nil) {
        current = ClientRecorder(measured: measured)
        before = ClientRecorder(measured: measured)
        self.length = length ?? 0
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
        current.record(operation, outcome, nanoseconds: nanoseconds)
    }

    @usableFromInline
    @inline(never)
    mutating func endIntervals(until time: UInt64) {
        finished += current.slices(interval: index)
        before.merge(current)
        current.reset()
        index = Int(clamping: Nanoclock.elapsed(from: start, to: time) / length)
        end = start &+ UInt64(index + 1) &* length
    }

    /// Everything that was recorded. Costs as much as adding up two recorders.
    package var whole: ClientRecorder {
        guard index > 0 else { return current }
        var whole = before
        whole.merge(current)
        return whole
    }

    /// What was recorded in each interval, in their order; empty when they are not told apart.
    package var slices: [IntervalSlice] { length == 0 ? [] : finished + current.slices(interval: index) }

    /// The memory of the distributions, in bytes.
    package var footprintBytes: UInt64 { current.footprintBytes + before.footprintBytes }
}

/// Operations of one kind and outcome that ended within one interval.
package struct IntervalSlice: Hashable, Sendable {
    /// Counted from 0.
    package let interval: Int
    package let operation: OperationKind
    package let outcome: Outcome
    package let count: UInt64
    /// How often each latency was recorded, from the shortest to the longest; empty for a warm-up.
    package let samples: [LatencySample]
}

/// A latency in nanoseconds, to the precision of a ``LatencyHistogram``, and how often it was recorded.
package struct LatencySample: Hashable, Sendable {
    package let nanoseconds: UInt64
    package let count: UInt64
}

extension ClientRecorder {
    /// What is in the recorder, without what is empty.
    func slices(interval: Int) -> [IntervalSlice] {
        var slices: [IntervalSlice] = []
        for operation in OperationKind.allCases {
            for outcome in Outcome.allCases {
                let count = count(operation, outcome)
                guard count > 0 else { continue }
                slices.append(
                    IntervalSlice(
                        interval: interval, operation: operation, outcome: outcome, count: count,
                        samples: histogram(operation, outcome)?.samples ?? []))
            }
        }
        return slices
    }

    /// Forgets everything; the memory is kept.
    mutating func reset() {
        for index in counts.indices { counts[index] = 0 }
        for index in histograms.indices { histograms[index].reset() }
    }
}
