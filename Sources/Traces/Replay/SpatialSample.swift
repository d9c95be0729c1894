/// Which keys of a trace are replayed, and what that says about all of them.
///
/// SHARDS: a key is in the sample when its hash is small, so that all of its requests are in it or none; caches shrink
/// with the sample (C. Waldspurger, N. Park, A. Garthwaite, I. Ahmad: Efficient MRC Construction with SHARDS, FAST 2015).
/// The misses are those of as many requests as the sample's share of the keys should have drawn, as in its SHARDS-adj:
/// a popular key that is in the sample by chance, or is not, changes the hits and hardly the misses. The error is that
/// of eight smaller samples of which this one consists: their standard deviation over the root of eight.
struct SpatialSample {
    /// The share of the keys, above 0 and at most 1.
    let rate: Double
    /// Another one draws other keys.
    var seed: UInt64 = 1

    /// Into how many parts a sample is cut to see how far they are from each other.
    static let partCount = 8
    /// A sample of fewer keys says nothing.
    static let keysMin = 100
    /// A cache that shrinks below this many entries is no likeness of the large one: each part has eight of them.
    static let entriesMin = 64

    /// Whether there is anything to estimate.
    var isPartial: Bool { rate < 1 }

    /// The whole trace is one lane; a sample has one more for each part.
    var laneCount: Int { isPartial ? 1 + Self.partCount : 1 }

    /// Which part a key is in; `nil` when it is not in the sample.
    ///
    /// - Parameter content: what stands for the key, and depends on nothing else.
    func part(of content: UInt64) -> Int? {
        let position = Double(Self.mix(content &+ Self.mix(seed)) >> 11) * 0x1p-53 / rate
        guard position < 1 else { return nil }
        return min(Int(position * Double(Self.partCount)), Self.partCount - 1)
    }

    /// The share of the keys that a lane should have.
    func share(ofLane lane: Int) -> Double {
        guard isPartial else { return 1 }
        return lane == 0 ? rate : rate / Double(Self.partCount)
    }

    /// How large a cache is for a share of the keys.
    static func scale(_ size: UInt64, by share: Double) -> UInt64 {
        share < 1 ? max(1, UInt64((Double(size) * share).rounded())) : size
    }

    /// The hit ratio of the whole trace by one lane of a sample. May lie outside of 0 to 1: whoever shows it cuts it off.
    ///
    /// - Parameters:
    ///   - share: the lane's share of the keys.
    ///   - requests: those of the whole trace.
    static func estimate(_ policy: ReplayPolicy, _ counts: ReplayCounts, share: Double, requests: Int) -> Double? {
        let expected = Double(requests) * share
        guard expected > 0 else { return nil }
        // Nothing ever hits, whatever was drawn.
        return policy == .none ? 0 : 1 - Double(counts.misses) / expected
    }

    /// The finaliser of SplitMix64: neighbours must not be drawn together.
    private static func mix(_ word: UInt64) -> UInt64 {
        var word = word &+ 0x9E37_79B9_7F4A_7C15
        word = (word ^ (word &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word &>> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word &>> 31)
    }
}
