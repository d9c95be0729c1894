import TrialModel

/// A figure that the harness must reach, and the measured samples.
struct Goal {
    /// On which side of the limit the figure must be.
    enum Side {
        case atMost, atLeast
    }

    var what: String
    var side: Side
    /// `nil` when the figure is only for information.
    var limit: Double?
    var unit: String
    /// One sample of each round; at least one.
    var samples: [Double]
    /// How many decimals are shown.
    var places = 2

    var median: Double { samples.median ?? .nan }

    /// `nil` without a limit.
    var isMet: Bool? { limit.map { side == .atMost ? median <= $0 : median >= $0 } }
}

/// A condition that must hold on every machine, however busy: if it does not, the harness is wrong.
struct Check {
    var what: String
    var expected: String
    var seen: String
    var holds: Bool
}
