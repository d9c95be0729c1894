/// What the repetitions of a strategy came to at one value of a sweep.
package struct SweepSample: Hashable, Sendable {
    /// The value.
    package let x: Double
    /// The figure in each repetition that completed; one at least.
    package let repetitions: [Double]
    /// Their median, the lowest and the highest.
    package let spread: Spread
    /// Whether the figure follows from scenario and seed, so that one repetition says it all.
    package let isExact: Bool
    /// Whether the harness could hardly send more, so that the strategy may be faster.
    package let isAtLeast: Bool

    /// `nil` without repetitions.
    package init?(x: Double, _ repetitions: [Double], isExact: Bool = false, isAtLeast: Bool = false) {
        guard let spread = Spread(repetitions) else { return nil }
        self.x = x
        self.repetitions = repetitions
        self.spread = spread
        // What was to be exact and differs has something in it that chance decides.
        self.isExact = isExact && spread.low == spread.high
        self.isAtLeast = isAtLeast
    }
}

/// A figure of a strategy over the values of a sweep.
package struct SweepCurve: Hashable, Sendable {
    /// The strategy's name.
    package let strategy: String
    /// What stands in place of a rank, such as `bound`; `nil` for a candidate.
    package let mark: String?
    /// Whether no trial of the strategy failed at any value.
    package let isSound: Bool
    /// In ascending order; a value at which nothing was measured has none.
    package let samples: [SweepSample]

    package init(strategy: String, mark: String? = nil, isSound: Bool = true, samples: [SweepSample]) {
        self.strategy = strategy
        self.mark = mark
        self.isSound = isSound
        self.samples = samples
    }

    /// Whether sentences may speak of it.
    var isCandidate: Bool { mark == nil && isSound && !samples.isEmpty }

    /// What it came to at a value.
    package subscript(x: Double) -> SweepSample? { samples.first { $0.x == x } }
}
