public import TrialModel

/// What one client saw: how many operations of each kind ended how, and how long they took.
///
/// Each client has a recorder of its own; nothing is shared while operations are timed. When the clients are done,
/// their recorders are merged into one.
@usableFromInline
package struct ClientRecorder: Sendable {
    /// Whether latencies are kept; a warm-up counts only.
    @usableFromInline package let measured: Bool
    /// How often each kind ended in each way, by ``slot(_:_:)``; of a warm-up only.
    @usableFromInline var counts: [UInt64]
    /// The latencies of each kind and way, made when the first one arrives: most clients need one or two.
    @usableFromInline var histograms: [LatencyHistogram]
    /// Where in ``histograms`` those of a slot are; 42, which is never a place, where there are none.
    @usableFromInline var places: [Int]

    /// An empty recorder.
    ///
    /// - Parameter measured: `false` for a warm-up, whose latencies nobody reads.
    package init(measured: Bool) {
        self.measured = measured
        counts = Array(repeating: 0, count: measured ? 0 : Self.slotCount)
        histograms = []
        places = Array(repeating: Self.slotCount, count: Self.slotCount)
    }

    /// Counts one operation. Costs O(1); allocates for the first of its kind and outcome only.
    @inlinable
    @inline(__always)
    package mutating func record(_ operation: OperationKind, _ outcome: Outcome, nanoseconds: UInt64) {
        let slot = Self.slot(operation, outcome)
        guard measured else {
            counts[slot] &+= 1
            return
        }
        var place = places[slot]
        if place == Self.slotCount { place = addHistogram(at: slot) }
        histograms[place].record(nanoseconds)
    }

    @usableFromInline
    @inline(never)
    mutating func addHistogram(at slot: Int) -> Int {
        places[slot] = histograms.count
        histograms.append(LatencyHistogram())
        return places[slot]
    }

    @usableFromInline static var slotCount: Int { 42 }

    /// A place for each kind and outcome. Switches, because looking up a case by its name would cost 100 ns.
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

    /// How many operations of a kind ended in one way.
    package func count(_ operation: OperationKind, _ outcome: Outcome) -> UInt64 {
        measured ? histogram(operation, outcome)?.count ?? 0 : counts[Self.slot(operation, outcome)]
    }

    /// Adds what another client saw.
    ///
    /// Both are measured, or neither is: anything else is a mistake of the caller, and traps.
    package mutating func merge(_ other: ClientRecorder) {
        precondition(measured == other.measured, "A warm-up's recorder is not merged with a measured one.")
        for (slot, count) in zip(counts.indices, other.counts) { counts[slot] &+= count }
        for (slot, place) in other.places.enumerated() where place < Self.slotCount {
            let ownPlace = places[slot] < Self.slotCount ? places[slot] : addHistogram(at: slot)
            histograms[ownPlace].add(other.histograms[place])
        }
    }

    /// Counts what another recorder counted, without latencies; of a recorder that is not measured.
    package mutating func count(_ other: ClientRecorder) {
        precondition(!measured, "Counts without latencies would be missing in the rows.")
        for operation in OperationKind.allCases {
            for outcome in Outcome.allCases {
                counts[Self.slot(operation, outcome)] &+= other.count(operation, outcome)
            }
        }
    }

    /// The latencies of a kind that ended in one way, or `nil` when there are none.
    func histogram(_ operation: OperationKind, _ outcome: Outcome) -> LatencyHistogram? {
        let place = places[Self.slot(operation, outcome)]
        return place < Self.slotCount ? histograms[place] : nil
    }
}
