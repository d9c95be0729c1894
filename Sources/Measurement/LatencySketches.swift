public import TrialModel

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
