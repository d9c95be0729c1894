/// Selects the keys of a trace that are replayed, and estimates the result for all keys.
///
/// SHARDS: a key is in the sample when its hash is small, so that either all of its requests are in it or none;
/// caches shrink with the sample (C. Waldspurger, N. Park, A. Garthwaite, I. Ahmad: Efficient MRC Construction with
/// SHARDS, FAST 2015). As in SHARDS-adj, misses are divided by the expected number of sampled requests, which is the
/// requests of the trace times the sample's share of the keys: a popular key that is in the sample or not by chance
/// changes the hits, but hardly the misses. The sample consists of eight smaller samples; the error is their standard
/// deviation divided by the square root of eight.
struct SpatialSample {
    /// The share of the keys, above 0 and at most 1.
    let rate: Double
    /// Another seed selects other keys.
    var seed: UInt64 = 1

    /// The number of parts of a sample, whose spread gives the error.
    static let partCount = 8
    /// A sample with fewer keys gives no estimate.
    static let keysMin = 100
    /// A cache that shrinks below this many entries does not represent the full-size one: each part has eight of
    /// them.
    static let entriesMin = 64

    /// Whether only a part of the keys is replayed.
    var isPartial: Bool { rate < 1 }

    /// The whole trace is one lane; a sample has an additional lane for each part.
    var laneCount: Int { isPartial ? 1 + Self.partCount : 1 }

    /// The part that contains a key; `nil` when the key is not in the sample.
    ///
    /// - Parameter content: a word that identifies the key and depends only on the key.
    func part(of content: UInt64) -> Int? {
        let position = Double(Self.mix(content &+ Self.mix(seed)) >> 11) * 0x1p-53 / rate
        guard position < 1 else { return nil }
        return min(Int(position * Double(Self.partCount)), Self.partCount - 1)
    }

    /// The expected share of the keys in a lane.
    func share(ofLane lane: Int) -> Double {
        guard isPartial else { return 1 }
        return lane == 0 ? rate : rate / Double(Self.partCount)
    }

    /// The size of a cache for a share of the keys.
    static func scale(_ size: UInt64, by share: Double) -> UInt64 {
        share < 1 ? max(1, UInt64((Double(size) * share).rounded())) : size
    }

    /// The estimated hit ratio of the whole trace by one lane of a sample. It may lie outside 0 to 1; the caller must
    /// clamp it.
    ///
    /// - Parameters:
    ///   - share: the lane's share of the keys.
    ///   - requests: the number of requests of the whole trace.
    static func estimate(_ policy: ReplayPolicy, _ counts: ReplayCounts, share: Double, requests: Int) -> Double? {
        let expected = Double(requests) * share
        guard expected > 0 else { return nil }
        // This policy never hits, so no estimate is needed.
        return policy == .none ? 0 : 1 - Double(counts.misses) / expected
    }

    /// The finaliser of SplitMix64, so that adjacent keys are selected independently.
    static func mix(_ word: UInt64) -> UInt64 {
        var word = word &+ 0x9E37_79B9_7F4A_7C15
        word = (word ^ (word &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word &>> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word &>> 31)
    }
}
