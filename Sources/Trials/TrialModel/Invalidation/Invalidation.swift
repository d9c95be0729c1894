/// Events, such as a logout or a changed language, after which a share of the cached values is no longer right and is
/// removed.
package struct Invalidation: HasDefaults, Codable, Hashable, Sendable {
    /// The time between the begins of two events, in nanoseconds; the first event comes after this time.
    package var every: UInt64 = 1_000_000_000
    /// The share of the keys that each event removes, above 0 and at most 1. All keys are removed by one `removeAll`.
    package var share = 1.0

    package static var defaults: Self { Self() }

    /// Whether an event clears the whole cache.
    package var clears: Bool { share >= 1 }

    /// Whether an event removes a key: each key by the same chance, independent of other keys and events.
    ///
    /// - Parameters:
    ///   - event: the number of the event in its phase, from 0.
    ///   - seed: the scenario's seed.
    package func removes(_ key: UInt32, event: Int, seed: UInt64) -> Bool {
        if clears { return true }
        let bits = SplitMix64.mix(SplitMix64.mix(seed ^ UInt64(truncatingIfNeeded: event)) ^ UInt64(key))
        return Double(bits >> 11) / 9_007_199_254_740_992 < share
    }
}
