/// A row of `replay.csv`: one eviction policy of one size over one trace.
package struct ReplayRow: Codable, Hashable, Sendable {
    /// The trace's file name, with as much of its path as tells it from the others.
    package var trace: String
    package var policy: String
    package var capacity: Capacity
    package var requests: UInt64
    package var hits: UInt64
    package var misses: UInt64
    package var hitRatio: Double?
    package var byteHitRatio: Double?
    /// The share of the keys that were replayed; 1 for all.
    package var sampleRate: Double
    /// The standard error of the hit ratio, from 0 to 1; `nil` when all keys were replayed.
    package var hitRatioError: Double?
    /// Of the policy alone, reading excluded.
    package var requestsPerSecond: Double?

    package init(
        trace: String, policy: String, capacity: Capacity = Capacity(), requests: UInt64 = 0, hits: UInt64 = 0,
        misses: UInt64 = 0, hitRatio: Double? = nil, byteHitRatio: Double? = nil, sampleRate: Double = 1,
        hitRatioError: Double? = nil, requestsPerSecond: Double? = nil
    ) {
        self.trace = trace
        self.policy = policy
        self.capacity = capacity
        self.requests = requests
        self.hits = hits
        self.misses = misses
        self.hitRatio = hitRatio
        self.byteHitRatio = byteHitRatio
        self.sampleRate = sampleRate
        self.hitRatioError = hitRatioError
        self.requestsPerSecond = requestsPerSecond
    }
}
