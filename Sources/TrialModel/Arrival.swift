/// When the operations of a phase are sent.
package enum Arrival: Codable, Hashable, Sendable {
    /// Each client sends as soon as it has its answer, after its think time.
    case closed
    /// Operations are due at times that nothing delays, however slow the answers are; a free client sends each.
    case open(ArrivalRate, ArrivalSpacing)
    /// As the requests of the scenario's trace came, faster by its `speed`.
    case trace

    /// Whether each operation has a time at which it is due.
    package var isOpen: Bool { self != .closed }
}

/// How operations follow each other at a rate.
package enum ArrivalSpacing: String, Codable, Hashable, Sendable, CaseIterable {
    /// Evenly: at a constant rate the gaps are the same.
    case even
    /// As independent callers come: gaps are exponentially distributed (a Poisson process).
    case poisson
}

/// A rate of arrivals over the time of a phase, in operations a second.
package struct ArrivalRate: Codable, Hashable, Sendable {
    /// A stretch in which the rate goes evenly from one value to another.
    package struct Piece: Codable, Hashable, Sendable {
        /// How long it is, in nanoseconds; above 0.
        package var nanoseconds: UInt64
        /// Above 0.
        package var first: Double
        /// Above 0.
        package var last: Double

        package init(nanoseconds: UInt64, first: Double, last: Double) {
            self.nanoseconds = nanoseconds
            self.first = first
            self.last = last
        }
    }

    /// At least one.
    package var pieces: [Piece]
    /// Whether the first piece follows the last one; otherwise the last rate stays.
    package var repeats: Bool

    package init(pieces: [Piece], repeats: Bool) {
        self.pieces = pieces
        self.repeats = repeats
    }

    /// The same rate all the time.
    package static func constant(_ rate: Double) -> ArrivalRate {
        ArrivalRate(pieces: [Piece(nanoseconds: 1_000_000_000, first: rate, last: rate)], repeats: true)
    }

    /// The highest rate there is.
    package var highest: Double { pieces.reduce(0) { max($0, $1.first, $1.last) } }

    /// The same course at another speed: every rate is multiplied.
    package func scaled(by factor: Double) -> ArrivalRate {
        var scaled = self
        for index in pieces.indices {
            scaled.pieces[index].first *= factor
            scaled.pieces[index].last *= factor
        }
        return scaled
    }
}
