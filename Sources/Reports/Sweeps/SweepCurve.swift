/// A strategy's figure at one value of a sweep, from its repetitions.
package struct SweepSample: Hashable, Sendable {
    /// The value of the swept dimension.
    package let x: Double
    /// The figure in each repetition that completed; at least one.
    package let repetitions: [Double]
    /// Their median, the lowest and the highest.
    package let spread: Spread
    /// Whether the figure follows from scenario and seed, so that one repetition is enough.
    package let isExact: Bool
    /// Whether the harness was near its own limit, so that the strategy may be faster.
    package let isAtLeast: Bool

    /// `nil` without repetitions.
    package init?(x: Double, _ repetitions: [Double], isExact: Bool = false, isAtLeast: Bool = false) {
        guard let spread = Spread(repetitions) else { return nil }
        self.x = x
        self.repetitions = repetitions
        self.spread = spread
        // If repetitions of an exact figure differ, chance influences it, so it is not exact.
        self.isExact = isExact && spread.low == spread.high
        self.isAtLeast = isAtLeast
    }
}

/// A figure of a strategy over the values of a sweep.
package struct SweepCurve: Hashable, Sendable {
    /// The strategy's name.
    package let strategy: String
    /// The mark that replaces a rank, such as `bound`; `nil` for a candidate.
    package let mark: String?
    /// Whether no trial of the strategy failed at any value.
    package let isSound: Bool
    /// The samples in ascending order of the value; a value without measurements has none.
    package let samples: [SweepSample]

    package init(strategy: String, mark: String? = nil, isSound: Bool = true, samples: [SweepSample]) {
        self.strategy = strategy
        self.mark = mark
        self.isSound = isSound
        self.samples = samples
    }

    /// Whether sentences may mention it.
    var isCandidate: Bool { mark == nil && isSound && !samples.isEmpty }

    /// The sample at a value.
    package subscript(x: Double) -> SweepSample? { samples.first { $0.x == x } }
}
