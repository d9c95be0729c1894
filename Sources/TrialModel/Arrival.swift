/// When the operations of a phase are sent.
package enum Arrival: Codable, Hashable, Sendable {
    /// Closed loop: each client sends its next operation once it has its answer and its think time is over.
    case closed
    /// Open loop: due times do not depend on the answers, however slow they are; any free client sends the operation.
    case open(ArrivalRate, ArrivalSpacing)
    /// Open loop: operations are due at the times of the scenario's trace, replayed faster by its `speed`.
    case trace

    /// Whether each operation has a time at which it is due.
    package var isOpen: Bool { self != .closed }
}

/// How operations are spaced at a given rate.
package enum ArrivalSpacing: String, Codable, Hashable, Sendable, CaseIterable {
    /// Evenly: at a constant rate all gaps are equal.
    case even
    /// As for independent callers: gaps are exponentially distributed (a Poisson process).
    case poisson
}

/// The arrival rate over the time of a phase, in operations per second.
package struct ArrivalRate: Codable, Hashable, Sendable {
    /// A stretch in which the rate changes linearly from one value to another.
    package struct Piece: Codable, Hashable, Sendable {
        /// The length in nanoseconds; above 0.
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

    /// At least one piece.
    package var pieces: [Piece]
    /// Whether the pieces repeat from the first one; otherwise the last rate stays.
    package var repeats: Bool

    package init(pieces: [Piece], repeats: Bool) {
        self.pieces = pieces
        self.repeats = repeats
    }

    /// A constant rate.
    package static func constant(_ rate: Double) -> ArrivalRate {
        ArrivalRate(pieces: [Piece(nanoseconds: 1_000_000_000, first: rate, last: rate)], repeats: false)
    }

    /// The highest rate of all pieces.
    package var highest: Double { pieces.reduce(0) { max($0, $1.first, $1.last) } }

    /// The same course with every rate multiplied by a factor.
    package func scaled(by factor: Double) -> ArrivalRate {
        var scaled = self
        for index in pieces.indices {
            scaled.pieces[index].first *= factor
            scaled.pieces[index].last *= factor
        }
        return scaled
    }
}
