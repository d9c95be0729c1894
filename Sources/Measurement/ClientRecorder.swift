public import TrialModel

/// The counts and latencies of one client's operations, by kind and outcome.
///
/// Each client has its own recorder, so that timed operations share no state. When the clients are done, their
/// recorders are merged.
@usableFromInline
package struct ClientRecorder: Sendable {
    /// Whether latencies are kept; a warm-up only counts.
    @usableFromInline package let measured: Bool
    /// The number of operations by kind and outcome, indexed by ``slot(_:_:)``; for a warm-up only.
    @usableFromInline var counts: [UInt64]
    /// The latencies by kind and outcome, created on first use, because most clients need only one or two.
    @usableFromInline var histograms: [LatencyHistogram]
    /// The index in ``histograms`` for each slot; ``noPlace`` for a slot without latencies.
    @usableFromInline var places: [Int]

    /// Creates an empty recorder.
    ///
    /// - Parameter measured: `false` for a warm-up, whose latencies are not used.
    package init(measured: Bool) {
        self.measured = measured
        counts = Array(repeating: 0, count: measured ? 0 : Self.slotCount)
        histograms = []
        places = Array(repeating: Self.noPlace, count: Self.slotCount)
    }

    /// Records one operation. O(1); allocates only for the first operation of a kind and outcome.
    @inlinable
    @inline(__always)
    package mutating func record(_ operation: OperationKind, _ outcome: Outcome, nanoseconds: UInt64) {
        let slot = Self.slot(operation, outcome)
        guard measured else {
            counts[slot] &+= 1
            return
        }
        var place = places[slot]
        if place == Self.noPlace { place = addHistogram(at: slot) }
        histograms[place].record(nanoseconds)
    }

    @usableFromInline
    @inline(never)
    mutating func addHistogram(at slot: Int) -> Int {
        places[slot] = histograms.count
        histograms.append(LatencyHistogram())
        return places[slot]
    }

    /// Never a valid index.
    @usableFromInline static var noPlace: Int { -1 }

    static var slotCount: Int { OperationKind.allCases.count * Outcome.allCases.count }

    /// An index for each kind and outcome. It uses switches, because looking up a case by its name would cost 100 ns.
    @inlinable
    @inline(__always)
    static func slot(_ operation: OperationKind, _ outcome: Outcome) -> Int {
        let row =
            switch operation {
            case .read: 0
            case .load: 1
            case .write: 2
            case .remove: 3
            case .clear: 4
            case .burst: 5
            case .prefetch: 6
            }
        let column =
            switch outcome {
            case .hit: 0
            case .miss: 1
            case .joined: 2
            case .failed: 3
            case .cancelled: 4
            case .done: 5
            }
        return row &* 6 &+ column
    }
}

extension ClientRecorder {
    /// How many operations were recorded.
    package var operations: UInt64 {
        histograms.reduce(counts.reduce(0, &+)) { $0 &+ $1.count }
    }

    /// How many operations of a kind had an outcome.
    package func count(_ operation: OperationKind, _ outcome: Outcome) -> UInt64 {
        measured ? histogram(operation, outcome)?.count ?? 0 : counts[Self.slot(operation, outcome)]
    }

    /// Adds the records of another client.
    ///
    /// Both recorders must be measured, or neither; otherwise this traps.
    package mutating func merge(_ other: ClientRecorder) {
        precondition(measured == other.measured, "A warm-up's recorder is not merged with a measured one.")
        for (slot, count) in zip(counts.indices, other.counts) { counts[slot] &+= count }
        for (slot, place) in other.places.enumerated() where place != Self.noPlace {
            let ownPlace = places[slot] == Self.noPlace ? addHistogram(at: slot) : places[slot]
            histograms[ownPlace].add(other.histograms[place])
        }
    }

    /// Adds the counts of another recorder, without latencies; only for a recorder that is not measured.
    package mutating func count(_ other: ClientRecorder) {
        precondition(!measured, "Counts without latencies would be missing in the rows.")
        for operation in OperationKind.allCases {
            for outcome in Outcome.allCases {
                counts[Self.slot(operation, outcome)] &+= other.count(operation, outcome)
            }
        }
    }

    /// The latencies of a kind and outcome, or `nil` when there are none.
    func histogram(_ operation: OperationKind, _ outcome: Outcome) -> LatencyHistogram? {
        let place = places[Self.slot(operation, outcome)]
        return place == Self.noPlace ? nil : histograms[place]
    }
}
