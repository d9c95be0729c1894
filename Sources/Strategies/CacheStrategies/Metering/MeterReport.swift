import Foundation

/// A number from a sample, with half of its 95 % interval.
public struct MeterEstimate: Sendable, Hashable, Codable {
    /// The number.
    public var value: Double
    /// The true number is within this distance in 95 of 100 cases; 0 where all keys are metered.
    public var error: Double

    /// A number and half of its interval.
    public init(value: Double, error: Double) { (self.value, self.error) = (value, error) }
}

/// What a ``CacheMeter`` found.
public struct MeterReport: Sendable, Hashable, Codable {
    /// A policy at a size.
    public struct Point: Sendable, Hashable, Codable {
        /// The name of the policy: `fifo`, `lru`, `s3-fifo`, `arc` or `lirs`.
        public var policy: String
        /// The capacity that was tried.
        public var capacity: MeterCapacity
        /// The share of the lookups that hit, from 0 to 1.
        public var hitRatio: MeterEstimate
        /// How much larger it is than that of LRU with the capacity of the app's cache.
        public var gain: MeterEstimate
    }

    /// What was counted in some time.
    public struct Window: Sendable, Hashable, Codable {
        /// The lookups that were metered.
        public var lookups: Int
        /// The time from its first to its last lookup.
        public var seconds: Double
        /// All policies at all sizes: policy by policy, from the simplest on, and each from the smallest size on.
        public var points: [Point]

        /// A policy at the size nearest to a capacity; `nil` for a policy that is not metered.
        public func point(_ policy: String, near capacity: MeterCapacity) -> Point? {
            points.filter { $0.policy == policy }.min {
                abs($0.capacity.units - capacity.units) < abs($1.capacity.units - capacity.units)
            }
        }
    }

    /// A part of the whole time, for `cache-trials advise`.
    public struct Period: Sendable, Hashable, Codable {
        /// The lookups that were metered.
        public var lookups: Double
        /// The estimated number of different keys since the start, at the end of the period.
        public var keys: Double
        /// The misses of each point, in eight groups of keys each, as estimated for all lookups.
        public var misses: [[Double]]
    }

    /// The capacity of the app's cache.
    public var capacity: MeterCapacity
    /// All lookups since the start, metered or not.
    public var lookups: Int
    /// The time since the start.
    public var seconds: Double
    /// The share of the keys that is sampled, above 0 and up to 1.
    public var keyShare: Double
    /// The share of the lookups that were metered. It is below 1 where requests came faster than they could be digested.
    public var seenShare: Double
    /// The estimated number of different keys.
    public var keys: Double
    /// The mean cost of an entry in bytes; 1 for a capacity in entries.
    public var meanCost: Double
    /// Entries of the sample in a cache of the given capacity.
    public var sampledEntries: Double
    /// Everything since the start; `nil` before the first lookup, and in a sample before 50 requests of sampled keys.
    public var sinceStart: Window?
    /// The last hour, or up to a quarter of an hour more; `nil` as ``sinceStart`` is.
    public var lastHour: Window?
    /// The last day, or up to an hour more; `nil` as ``sinceStart`` is.
    public var lastDay: Window?
    /// At most 32 parts of the whole time, the first one first.
    public var periods: [Period]

    /// The names of the policies, from the simplest on.
    static var policies: [String] { MiniaturePolicy.all.map(\.name) }

    init(_ state: MeterState, lookups: UInt64, from start: UInt64, to now: UInt64) {
        capacity = state.capacity
        self.lookups = Int(clamping: lookups)
        seconds = Double(now &- start) / 1e9
        keyShare = state.keyShare
        let history = state.history
        let window = { (counts: MeterCounts?) in
            counts.flatMap {
                Window($0, capacity: state.capacity, state.keyShare, concentration: state.probes.concentration)
            }
        }
        sinceStart = window(history.total)
        lastHour = window(history.lastHour(at: now))
        lastDay = window(history.lastDay(at: now))
        seenShare = lookups > 0 ? min(1, (history.total?.lookups ?? 0) / Double(lookups)) : 1
        keys = history.periods.last?.keys ?? 0
        meanCost = state.meanCost
        sampledEntries = state.entryCount
        periods = history.periods.map { counts in
            let groups = MeterCounts.groupCount
            return Period(
                lookups: counts.lookups, keys: counts.keys,
                misses: stride(from: 0, to: counts.misses.count, by: groups).map { first in
                    stride(from: first, to: first + groups, by: 2).map { counts.misses[$0] + counts.misses[$0 + 1] }
                })
        }
    }
}

extension MeterReport.Window {
    /// `nil` where there are too few requests of sampled keys.
    init?(_ counts: MeterCounts, capacity: MeterCapacity, _ keyShare: Double, concentration: Double) {
        let estimator = MeterEstimator(counts: counts, keyShare: keyShare, concentration: concentration)
        guard keyShare >= 1 || estimator.sampledRequests >= MeterEstimator.sampledRequestsMin else { return nil }
        let multiples = MeterState.multiples
        let real = estimator.misses(MeterState.realIndex)
        lookups = Int(counts.lookups)
        seconds =
            counts.endNanoseconds > counts.startNanoseconds
            ? Double(counts.endNanoseconds - counts.startNanoseconds) / 1e9 : 0
        points = MeterReport.policies.indices.flatMap { policy in
            let ratios = multiples.indices.map { size -> (hit: MeterEstimate, gain: MeterEstimate) in
                let misses = estimator.misses(policy * multiples.count + size)
                let miss = estimator.ratio(misses)
                let gain = estimator.ratio(zip(real, misses).map { $0 - $1 })
                return (MeterEstimate(value: 1 - miss.value, error: miss.error), gain)
            }
            return multiples.indices.map { size in
                let sizing = Self.sizeError(ratios.map(\.hit.value), at: size, entries: capacity, keyShare)
                let error = (ratios[size].hit.error * ratios[size].hit.error + sizing * sizing).squareRoot()
                return MeterReport.Point(
                    policy: MeterReport.policies[policy], capacity: capacity.times(multiples[size]),
                    hitRatio: MeterEstimate(value: min(max(ratios[size].hit.value, 0), 1), error: error),
                    gain: ratios[size].gain)
            }
        }
    }

    /// The part of the error that comes from the size: among as many sampled keys as the miniature holds, the share of the
    /// sample varies by their square root, so that a miniature is that of a somewhat larger or smaller cache.
    private static func sizeError(
        _ ratios: [Double], at size: Int, entries capacity: MeterCapacity, _ keyShare: Double
    ) -> Double {
        guard keyShare < 1 else { return 0 }
        let held = Double(MeterState.entryCount) * MeterState.multiples[size]
        let relative = 1.96 * ((1 - keyShare) / max(1, held)).squareRoot()
        // The steeper side counts. Neighbours differ by 5/3, whose logarithm is 0.51.
        let steps = [size - 1, size + 1].filter(ratios.indices.contains).map { abs(ratios[$0] - ratios[size]) }
        let slope = (steps.max() ?? 0) / 0.51
        return slope * relative
    }
}
