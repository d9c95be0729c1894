import EvictionPolicies
import Foundation

/// What kind of trace it is, as far as that decides about policies and sizes.
package struct TraceCharacter: Sendable {
    /// Lookups; removals are not lookups.
    package var requests: Int
    package var removals: Int
    /// The number of different keys.
    package var keys: AdviceEstimate
    /// From the first request to the last, in nanoseconds; `nil` when the trace has no times.
    package var durationNanoseconds: UInt64?
    /// The share of the requests that are the first for their key.
    package var firstRequests: AdviceEstimate
    /// How popularity falls with rank; `nil` when there are too few keys.
    package var popularity: Popularity?
    /// What needs every request; `nil` for a meter, which keeps counts alone.
    package var patterns: Patterns?

    /// What the order of the requests tells.
    package struct Patterns: Sendable {
        /// The share of the keys that are requested only once.
        package var oneHitWonders: AdviceEstimate
        /// The share of the requests, after a quarter of the trace, within runs of keys that were never requested before.
        package var scans: AdviceEstimate
        /// The narrow peak of reuse distances far out that has most requests; `nil` when there is none.
        package var loop: Loop?
        /// How much the popular keys of the first half have lost in the second: 0 when they are still those that are
        /// requested most, 1 when they are not requested any more.
        package var drift: AdviceEstimate
    }

    /// A line through the logarithms of rank and popularity.
    package struct Popularity: Sendable, Hashable {
        /// The exponent of the Zipf law, with the standard error of the fit.
        package var exponent: AdviceEstimate
        /// The share of the variance that the line explains, from 0 to 1.
        package var rSquared: Double
    }

    /// Requests that come back after the same number of other keys.
    package struct Loop: Sendable, Hashable {
        /// The number of keys in the loop.
        package var length: Double
        /// Its share of the requests.
        package var share: AdviceEstimate
    }

    /// New keys in a row that make a scan.
    private static let scanLengthMin = 16

    /// O(kept requests · log keys).
    init(_ trace: AdviceTrace) {
        var counts = [UInt32](repeating: 0, count: trace.hashes.count)
        var halves = [counts, counts]
        var scanned = 0.0
        var late = 0.0
        var row = 0
        var distances = StackDistances()
        trace.forEachLookup { index in
            let id = Int(trace.ids[index])
            let distance = distances.request(trace.ids[index])
            row = distance < 0 ? row + 1 : 0
            if trace.slice(index) >= AdviceTrace.sliceCount / 4 {
                late += 1
                if row == Self.scanLengthMin {
                    scanned += Double(row)
                } else if row > Self.scanLengthMin {
                    scanned += 1
                }
            }
            counts[id] += 1
            halves[trace.slice(index) * 2 / AdviceTrace.sliceCount][id] += 1
        }
        requests = trace.lookups
        removals = trace.removals
        durationNanoseconds = trace.duration
        let kept = Double(counts.count { $0 > 0 })
        let sampled = trace.isSample ? 1.0 : 0
        keys = AdviceEstimate(value: (kept / trace.rate).rounded(), error: sampled * kept.squareRoot() / trace.rate)
        let share = { (part: Double, all: Double) in
            let value = all > 0 ? part / all : 0
            return AdviceEstimate(value: value, error: sampled * (value * (1 - value) / max(1, all)).squareRoot())
        }
        firstRequests = share(kept, Double(trace.lookups) * trace.rate)
        popularity = Self.popularity(counts.sorted(by: >))
        var drift = share(Self.drift(halves[0], halves[1]), 1)
        drift.error = Self.driftError(halves[1], trace)
        patterns = Patterns(
            oneHitWonders: share(Double(counts.count { $0 == 1 }), kept), scans: share(min(scanned, late), late),
            loop: Self.loop(distances.missCurve(), trace), drift: drift)
    }

    /// A line through ranks 1, 2, 4 and so on, so that the many keys of the tail do not dominate. Keys that are
    /// requested only once form a step, not a slope, and are left out.
    static func popularity(_ ranked: [UInt32]) -> Popularity? {
        var points: [(x: Double, y: Double)] = []
        var rank = 1
        while rank <= ranked.count, ranked[rank - 1] > 1 {
            points.append((log(Double(rank)), log(Double(ranked[rank - 1]))))
            rank *= 2
        }
        guard points.count >= 4 else { return nil }
        let count = Double(points.count)
        let meanX = points.reduce(0) { $0 + $1.x } / count
        let meanY = points.reduce(0) { $0 + $1.y } / count
        let covariance = points.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) }
        let varianceX = points.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
        let varianceY = points.reduce(0) { $0 + ($1.y - meanY) * ($1.y - meanY) }
        let rSquared = varianceY > 0 ? covariance * covariance / (varianceX * varianceY) : 0
        let error = ((1 - rSquared) * varianceY / varianceX / (count - 2)).squareRoot()
        return Popularity(
            exponent: AdviceEstimate(value: -covariance / varianceX, error: error), rSquared: min(1, rSquared))
    }

    /// A peak is a quarter of an octave that has at least a twentieth of the requests, four times as many as each of
    /// the quarters two steps away.
    ///
    /// - Parameter curve: the misses of LRU by size.
    private static func loop(_ curve: [Int], _ trace: AdviceTrace) -> Loop? {
        var bins: [Int: Int] = [:]
        for (distance, pair) in zip(curve, curve.dropFirst()).enumerated() where pair.0 > pair.1 {
            bins[Int(log2(Double(distance + 1)) * 4), default: 0] += pair.0 - pair.1
        }
        let all = Double(curve.first ?? 0)
        let far = bins.filter { bin, count in
            bin >= 16 && Double(count) >= all / 20
                && [-2, 2].allSatisfy { count >= 4 * bins[bin + $0, default: 0] }
        }
        guard let peak = far.max(by: { $0.value < $1.value }) else { return nil }
        let share = Double(peak.value) / all
        let error = trace.isSample ? (share * (1 - share) / all).squareRoot() : 0
        return Loop(
            length: (pow(2, (Double(peak.key) + 0.5) / 4) / trace.rate).rounded(),
            share: AdviceEstimate(value: share, error: error))
    }

    /// One less what the first half's most popular keys get in the second, over what its own most popular keys get.
    private static func drift(_ first: [UInt32], _ second: [UInt32]) -> Double {
        let count = max(10, first.count / 100)
        let top = { (counts: [UInt32]) in counts.indices.sorted { counts[$0] > counts[$1] }.prefix(count) }
        let own = top(second).reduce(0) { $0 + Int(second[$1]) }
        let old = top(first).reduce(0) { $0 + Int(second[$1]) }
        return own > 0 ? 1 - Double(old) / Double(own) : 0
    }

    private static func driftError(_ second: [UInt32], _ trace: AdviceTrace) -> Double {
        trace.isSample ? 1 / Double(max(1, second.count / 100)).squareRoot() / 2 : 0
    }
}
