import TrialModel

/// A figure that the harness is to reach, and what was seen.
struct Goal {
    /// On which side of the limit the figure has to be.
    enum Side {
        case atMost, atLeast
    }

    var what: String
    var side: Side
    /// `nil` where the figure is only to be known.
    var limit: Double?
    var unit: String
    /// One of each round; at least one.
    var samples: [Double]
    /// How many decimals a person wants to see.
    var places = 2

    var median: Double { samples.median ?? .nan }

    /// `nil` without a limit.
    var isMet: Bool? { limit.map { side == .atMost ? median <= $0 : median >= $0 } }
}

/// Something that has to hold on every machine, however busy: the harness is wrong where it does not.
struct Check {
    var what: String
    var expected: String
    var seen: String
    var holds: Bool
}
