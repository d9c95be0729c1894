/// A seeded source of random numbers whose results never change between releases or platforms.
///
/// xoshiro256** (Blackman and Vigna, 2018), its state filled by SplitMix64. The bounded integer and the unit
/// fraction are computed here, because the standard library's own mapping may change between releases.
@usableFromInline
package struct RandomSource: Sendable {
    @usableFromInline var state: (UInt64, UInt64, UInt64, UInt64)

    /// Creates a source for one purpose; different streams of one seed are independent of each other.
    ///
    /// - Parameters:
    ///   - seed: the scenario's seed.
    ///   - stream: the purpose of the numbers, such as a phase and a client; order matters.
    package init(seed: UInt64, stream: UInt64...) {
        var mixer = SplitMix64(state: seed)
        for word in stream {
            mixer = SplitMix64(state: mixer.next() ^ SplitMix64.mix(word))
        }
        state = (mixer.next(), mixer.next(), mixer.next(), mixer.next())
    }

    /// Creates a source from a raw state, as reference implementations are seeded. At least one word must not be 0.
    init(state: (UInt64, UInt64, UInt64, UInt64)) {
        self.state = state
    }

    /// The next 64 random bits.
    @inlinable
    @inline(__always)
    package mutating func next() -> UInt64 {
        let result = Self.rotate(state.1 &* 5, by: 7) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = Self.rotate(state.3, by: 45)
        return result
    }

    /// A whole number from 0 to `bound - 1`; 0 when `bound` is 0.
    ///
    /// Multiplication with rejection (Lemire, 2019): every number is exactly equally likely.
    @inlinable
    @inline(__always)
    package mutating func next(below bound: UInt64) -> UInt64 {
        var product = next().multipliedFullWidth(by: bound)
        // Rare: once in 2^64 / bound draws. For a bound of 0, neither half is ever below it.
        if product.low < bound {
            let threshold = (0 &- bound) % bound
            while product.low < threshold {
                product = next().multipliedFullWidth(by: bound)
            }
        }
        return product.high
    }

    /// Puts elements into a random order; every order is equally likely (Fisher and Yates, 1938). O(n).
    package mutating func shuffle<Element>(_ elements: inout [Element]) {
        for place in elements.indices.reversed() {
            elements.swapAt(place, Int(clamping: next(below: UInt64(place + 1))))
        }
    }

    /// A number from 0 up to, but not including, 1, with 53 random bits.
    @inlinable
    @inline(__always)
    package mutating func nextFraction() -> Double {
        Double(next() >> 11) * 0x1.0p-53
    }

    @inlinable
    @inline(__always)
    static func rotate(_ word: UInt64, by count: UInt64) -> UInt64 {
        (word &<< count) | (word &>> (64 &- count))
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): turns related seeds into unrelated states.
@usableFromInline
package struct SplitMix64: Sendable {
    @usableFromInline var state: UInt64

    /// Creates a generator from any state, including 0.
    @inlinable
    package init(state: UInt64) {
        self.state = state
    }

    /// The next 64 random bits.
    @inlinable
    @inline(__always)
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    /// The finaliser alone: a bijection of 64 bits in which every bit depends on all others.
    @inlinable
    @inline(__always)
    package static func mix(_ word: UInt64) -> UInt64 {
        var mixed = word
        mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed &>> 31)
    }
}
