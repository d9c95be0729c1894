public import Histogram
package import TrialModel

/// The distribution of latencies from 1 ns to 1 h, to three significant digits, in constant memory (270 KiB).
///
/// An instance must not be shared between threads: each client has its own, and they are added up when the clients are
/// done.
@usableFromInline
package struct LatencyHistogram: Sendable {
    /// The longest distinguished latency: 1 h. Longer latencies count as 1 h.
    @usableFromInline package static var longestNanoseconds: UInt64 { 3_600_000_000_000 }

    @usableFromInline var histogram: Histogram<UInt64>
    @usableFromInline var shortest: UInt64
    @usableFromInline var longest: UInt64
    @usableFromInline var sum: UInt64
    /// How many latencies were longer than ``longestNanoseconds``.
    @usableFromInline package var clampedCount: UInt64

    /// Creates an empty distribution. Allocates all the memory that it will ever need.
    @usableFromInline
    package init() {
        histogram = Histogram(
            lowestDiscernibleValue: 1, highestTrackableValue: Self.longestNanoseconds,
            numberOfSignificantValueDigits: .three)
        shortest = .max
        longest = 0
        sum = 0
        clampedCount = 0
    }

    /// How many latencies were recorded.
    @inlinable package var count: UInt64 { histogram.totalCount }

    /// The sum of all latencies, in nanoseconds.
    package var totalNanoseconds: UInt64 { sum }

    /// The memory of the distribution, in bytes.
    package var footprintBytes: UInt64 { UInt64(histogram.estimatedFootprintInBytes) }

    /// Records one latency. O(1), without allocations.
    @inlinable
    @inline(__always)
    package mutating func record(_ nanoseconds: UInt64) {
        var latency = nanoseconds
        if latency > Self.longestNanoseconds {
            latency = Self.longestNanoseconds
            clampedCount &+= 1
        }
        histogram.record(latency)
        if latency < shortest { shortest = latency }
        if latency > longest { longest = latency }
        sum &+= latency
    }

    /// Records one latency several times. O(1), without allocations.
    package mutating func record(_ nanoseconds: UInt64, count: UInt64) {
        guard count > 0 else { return }
        let latency = min(nanoseconds, Self.longestNanoseconds)
        histogram.record(latency, count: count)
        shortest = min(shortest, latency)
        longest = max(longest, latency)
        sum &+= latency &* count
    }

    /// The latencies, with the precision of the distribution. O(buckets), about 0.2 ms.
    package var samples: [LatencySample] {
        var samples: [LatencySample] = []
        forEachBucket { lowest, count in
            let highest = min(histogram.highestEquivalentForValue(lowest), Self.longestNanoseconds)
            if count > 0 { samples.append(LatencySample(nanoseconds: highest, count: count)) }
        }
        return samples
    }

    /// Adds the latencies of another distribution, as if all had been recorded here. O(buckets).
    package mutating func add(_ other: LatencyHistogram) {
        // Adding cannot fail, because both have the same layout.
        histogram.add(other.histogram)
        shortest = min(shortest, other.shortest)
        longest = max(longest, other.longest)
        sum &+= other.sum
        clampedCount &+= other.clampedCount
    }

    /// The summary of the distribution, or `nil` when it is empty.
    ///
    /// The shortest, the longest and the mean are exact (the mean to the nanosecond); a percentile is at most 0.1 %
    /// above its exact value. O(buckets), about 0.5 ms.
    package func summary() -> LatencySummary? {
        guard count > 0 else { return nil }
        return LatencySummary(
            min: shortest, mean: (sum &+ count / 2) / count, p50: percentile(50), p90: percentile(90),
            p95: percentile(95), p99: percentile(99), p99_9: percentile(99.9), p99_99: percentile(99.99),
            max: longest)
    }

    /// The latency that `percent` of all latencies do not exceed. O(buckets), about 0.1 ms.
    func percentile(_ percent: Double) -> UInt64 {
        min(max(histogram.valueAtPercentile(percent), shortest), longest)
    }
}
