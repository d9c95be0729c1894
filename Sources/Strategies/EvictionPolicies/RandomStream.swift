/// Random numbers from a seed, so that a run is reproducible.
///
/// SplitMix64: G. L. Steele, D. Lea, C. H. Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014.
struct RandomStream {
    private var state: UInt64

    init(seed: UInt64 = 0) { state = seed }

    /// 64 random bits.
    @inline(__always)
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed &>> 31)
    }

    /// From 0, below 1.
    @inline(__always)
    mutating func fraction() -> Double { Double(next() &>> 11) * 0x1.0p-53 }

    /// A number below a limit from 32 random bits; the bias is below limit / 2^32.
    @inline(__always)
    static func scale(_ bits: UInt64, below limit: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: ((bits & 0xFFFF_FFFF) &* limit) &>> 32)
    }
}
