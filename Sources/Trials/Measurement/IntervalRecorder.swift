import Platform
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
    /// The counts by kind at the start of the current interval.
    private var countsBefore: [(all: UInt64, hits: UInt64, misses: UInt64)]
    private var finished: [IntervalSlice] = []
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
        countsBefore = whole.countsByKind
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
        countsBefore = whole.countsByKind
        sketches.reset()
        index = Int(clamping: Nanoclock.elapsed(from: start, to: time) / length)
        end = start &+ UInt64(index + 1) &* length
    }

    /// Ends an interval by hand.
    ///
    /// - Returns: the operations that ended in the interval, by kind.
    package mutating func cut() -> [IntervalSlice] {
        defer {
            countsBefore = whole.countsByKind
            sketches.reset()
        }
        return currentSlices
    }

    /// The records of each interval, in order; empty without intervals.
    package var slices: [IntervalSlice] { length == 0 ? [] : finished + currentSlices }

    /// The records of the current interval by operation, without empty ones.
    private var currentSlices: [IntervalSlice] {
        zip(zip(OperationKind.allCases, whole.countsByKind), countsBefore).compactMap { now, before in
            let (operation, count) = now
            guard count.all > before.all else { return nil }
            return IntervalSlice(
                interval: index, operation: operation, count: count.all &- before.all,
                hits: count.hits &- before.hits, misses: count.misses &- before.misses,
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

extension ClientRecorder {
    /// How many operations of each kind have ended, how many of them were hits, and how many other lookups.
    fileprivate var countsByKind: [(all: UInt64, hits: UInt64, misses: UInt64)] {
        OperationKind.allCases.map { operation in
            var count: (all: UInt64, hits: UInt64, misses: UInt64) = (0, 0, 0)
            for outcome in Outcome.allCases {
                let ended = self.count(operation, outcome)
                count.all &+= ended
                switch outcome {
                case .hit: count.hits &+= ended
                case .miss, .joined, .failed, .cancelled: count.misses &+= ended
                case .done: break
                }
            }
            return count
        }
    }
}

/// Small distributions of latencies from 1 ns to 1 h, one for each kind of operation, each with a precision of 0.8 % in
/// 19 KiB.
///
/// A bucket is a 64th of the power of two below it. Unlike ``LatencyHistogram``, which has more digits, the buckets can
/// be read and reset in some microseconds. The first 16,384 latencies are all recorded; then on average every second,
/// then every fourth and so on, each counting for the skipped ones. With millions of latencies, recording is almost
/// free, and a percentile still rests on a hundred thousand.
@usableFromInline
struct LatencySketches: Sendable {
    /// The buckets of all recorded kinds, concatenated.
    private var buckets: [UInt64] = []
    /// The start of each kind's buckets in ``buckets``; -1 for none.
    private var places = Array(repeating: -1, count: Self.kindCount)

    /// How many latencies remain until the next recorded one.
    @usableFromInline var untilNext: UInt64 = 1
    /// How many latencies a recorded one represents; a power of two.
    private var stride: UInt64 = 1
    private var recordedAtStride = 0
    /// Varies the steps, so that they cannot resonate with a rhythm of the latencies (Marsaglia's xorshift).
    private var random: UInt64 = 88_172_645_463_325_252

    private static var latenciesPerStride: Int { 16_384 }

    private static var kindCount: Int { OperationKind.allCases.count }

    /// The number of buckets for all latencies up to ``LatencyHistogram/longestNanoseconds``.
    static var bucketCount: Int { bucket(of: LatencyHistogram.longestNanoseconds) + 1 }

    /// Records one latency. O(1); allocates only for the first of its kind.
    @inlinable
    @inline(__always)
    mutating func record(_ operation: OperationKind, nanoseconds: UInt64) {
        untilNext &-= 1
        if untilNext == 0 { add(operation, nanoseconds: nanoseconds) }
    }

    @usableFromInline
    @inline(never)
    mutating func add(_ operation: OperationKind, nanoseconds: UInt64) {
        let kind = Self.kind(operation)
        let place = places[kind] < 0 ? addBuckets(of: kind) : places[kind]
        buckets[place + Self.bucket(of: min(nanoseconds, LatencyHistogram.longestNanoseconds))] &+= stride
        recordedAtStride += 1
        if recordedAtStride == Self.latenciesPerStride {
            recordedAtStride = 0
            stride = min(stride * 2, 1 << 20)
        }
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        // From 1 to 2 * stride - 1: a stride on average.
        untilNext = 1 + random % (2 * stride - 1)
    }

    private mutating func addBuckets(of kind: Int) -> Int {
        let place = buckets.count
        places[kind] = place
        buckets.append(contentsOf: repeatElement(0, count: Self.bucketCount))
        return place
    }

    /// Removes all latencies, but keeps the memory.
    mutating func reset() {
        for index in buckets.indices { buckets[index] = 0 }
        untilNext = 1
        stride = 1
        recordedAtStride = 0
    }

    /// The memory of the buckets, in bytes.
    var footprintBytes: UInt64 { UInt64(buckets.count * MemoryLayout<UInt64>.stride) }

    /// The latencies of a kind, from the shortest to the longest.
    func samples(_ operation: OperationKind) -> [LatencySample] {
        let place = places[Self.kind(operation)]
        guard place >= 0 else { return [] }
        return (0..<Self.bucketCount).compactMap { bucket in
            let count = buckets[place + bucket]
            return count == 0 ? nil : LatencySample(nanoseconds: Self.middle(of: bucket), count: count)
        }
    }

    /// The bucket of a latency: up to 127 ns one bucket per ns, then 64 per power of two.
    static func bucket(of nanoseconds: UInt64) -> Int {
        guard nanoseconds >= 128 else { return Int(nanoseconds) }
        let shift = 57 &- nanoseconds.leadingZeroBitCount
        return shift &<< 6 &+ Int(truncatingIfNeeded: nanoseconds &>> UInt64(truncatingIfNeeded: shift))
    }

    /// The latency in the middle of a bucket.
    static func middle(of bucket: Int) -> UInt64 {
        guard bucket >= 128 else { return UInt64(bucket) }
        let shift = UInt64(bucket >> 6 - 1)
        let lowest = (UInt64(bucket) - shift << 6) << shift
        return lowest + (1 << shift) / 2
    }

    /// An index for each kind; see ``ClientRecorder/slot(_:_:)``.
    private static func kind(_ operation: OperationKind) -> Int { ClientRecorder.slot(operation, .hit) / 6 }
}

extension LatencySample {
    /// The interpolated median of latencies from sketches, in any order, which changes with every latency; `nil`
    /// without latencies.
    ///
    /// Buckets, and a clock with a resolution of tens of nanoseconds, leave gaps between possible latencies. Latencies
    /// of one value are assumed to be spread evenly between the midpoints to the next lower and the next higher value.
    package static func median(of samples: [LatencySample]) -> Double? {
        var counts: [UInt64: UInt64] = [:]
        for sample in samples where sample.count > 0 { counts[sample.nanoseconds, default: 0] &+= sample.count }
        let sorted = counts.sorted { $0.key < $1.key }
        let half = sorted.reduce(0) { $0 + Double($1.value) } / 2
        guard half > 0 else { return nil }
        var below = 0.0
        for (index, (nanoseconds, count)) in sorted.enumerated() {
            guard below + Double(count) >= half else {
                below += Double(count)
                continue
            }
            let value = Double(nanoseconds)
            let lower = index > 0 ? (Double(sorted[index - 1].key) + value) / 2 : value
            let upper = index + 1 < sorted.count ? (value + Double(sorted[index + 1].key)) / 2 : value
            return lower + (upper - lower) * (half - below) / Double(count)
        }
        return nil
    }
}

/// The operations of a phase's clients in each interval, as rows of `timeline.csv`.
package struct Timeline {
    private struct Cell {
        var count: UInt64 = 0
        var hits: UInt64 = 0
        var misses: UInt64 = 0
        var latencies = LatencyHistogram()

        mutating func add(_ slice: IntervalSlice) {
            count &+= slice.count
            hits &+= slice.hits
            misses &+= slice.misses
            for sample in slice.samples { latencies.record(sample.nanoseconds, count: sample.count) }
        }
    }

    private let slices: [IntervalSlice]

    /// The slices of all clients, in any order.
    package init(_ slices: [IntervalSlice]) {
        self.slices = slices.sorted { $0.interval < $1.interval }
    }

    /// The rows by interval and operation, with `all` last. An interval in which no operation ended has no rows.
    ///
    /// The distributions of the clients are added up; percentiles of the sum are precise to 0.8 %. O(slices), one
    /// interval at a time.
    ///
    /// - Parameters:
    ///   - key: the columns that every row starts with.
    ///   - interval: the length of an interval in nanoseconds.
    package func rows(key: RowKey, interval: UInt64) -> [TimelineRow] {
        var rows: [TimelineRow] = []
        var rest = slices[...]
        while let first = rest.first {
            let group = rest.prefix { $0.interval == first.interval }
            rest = rest.dropFirst(group.count)
            let milliseconds = UInt64(first.interval) &* interval / 1_000_000
            func append(_ operation: Selection<OperationKind>, _ members: some Sequence<IntervalSlice>) {
                var cell = Cell()
                for slice in members { cell.add(slice) }
                guard cell.count > 0 else { return }
                let summary = cell.latencies.summary()
                var row = TimelineRow(key: key)
                (row.elapsedMilliseconds, row.operation) = (milliseconds, operation)
                (row.count, row.hits, row.misses) = (cell.count, cell.hits, cell.misses)
                (row.p50, row.p99) = (summary?.p50, summary?.p99)
                rows.append(row)
            }
            for kind in OperationKind.allCases {
                append(.only(kind), group.lazy.filter { $0.operation == kind })
            }
            append(.all, group)
        }
        return rows
    }
}
