public import Histogram
package import TrialModel

/// The distribution of latencies from 1 ns to 1 h, to three significant digits, in constant memory (270 KiB).
///
/// Not for several threads at once: each client has its own, and they are added up when the clients are done.
@usableFromInline
package struct LatencyHistogram: Sendable {
    /// The longest latency that is told apart: 1 h. Longer ones count as this long.
    @usableFromInline package static var longestNanoseconds: UInt64 { 3_600_000_000_000 }

    @usableFromInline var histogram: Histogram<UInt64>
    @usableFromInline var shortest: UInt64
    @usableFromInline var longest: UInt64
    @usableFromInline var sum: UInt64
    /// How many latencies were longer than ``longestNanoseconds``.
    @usableFromInline package var clampedCount: UInt64

    /// An empty distribution. Allocates all the memory it will ever need.
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

    /// Counts one latency. Costs O(1), and allocates nothing.
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

    /// Counts one latency several times. Costs O(1), and allocates nothing.
    package mutating func record(_ nanoseconds: UInt64, count: UInt64) {
        guard count > 0 else { return }
        let latency = min(nanoseconds, Self.longestNanoseconds)
        histogram.record(latency, count: count)
        shortest = min(shortest, latency)
        longest = max(longest, latency)
        sum &+= latency &* count
    }

    /// The latencies, each to the precision of the distribution. Costs O(buckets), about 0.2 ms.
    package var samples: [LatencySample] {
        var samples: [LatencySample] = []
        forEachBucket { lowest, count in
            let highest = min(histogram.highestEquivalentForValue(lowest), Self.longestNanoseconds)
            if count > 0 { samples.append(LatencySample(nanoseconds: highest, count: count)) }
        }
        return samples
    }

    /// Adds the latencies of another distribution, as if all had been recorded here. Costs O(buckets).
    package mutating func add(_ other: LatencyHistogram) {
        // Both have the same layout, so that adding can't fail.
        histogram.add(other.histogram)
        shortest = min(shortest, other.shortest)
        longest = max(longest, other.longest)
        sum &+= other.sum
        clampedCount &+= other.clampedCount
    }

    /// The figures of the distribution, or `nil` when it is empty.
    ///
    /// The shortest, the longest and the mean are exact (the mean to the nanosecond); a percentile is at most 0.1 %
    /// above the smallest latency that so many latencies don't exceed. Costs O(buckets), about 0.5 ms.
    package func summary() -> LatencySummary? {
        guard count > 0 else { return nil }
        return LatencySummary(
            min: shortest, mean: (sum &+ count / 2) / count, p50: percentile(50), p90: percentile(90),
            p95: percentile(95), p99: percentile(99), p99_9: percentile(99.9), p99_99: percentile(99.99),
            max: longest)
    }

    /// What so many of a hundred latencies don't exceed. Costs O(buckets), about 0.1 ms.
    func percentile(_ percent: Double) -> UInt64 {
        min(max(histogram.valueAtPercentile(percent), shortest), longest)
    }
}
