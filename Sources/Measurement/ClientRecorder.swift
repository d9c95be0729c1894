public import TrialModel

/// What one client saw: how many operations of each kind ended how, and how long they took.
///
/// Each client has a recorder of its own; nothing is shared while operations are timed. When the clients are done,
/// their recorders are merged into one.
@usableFromInline
package struct ClientRecorder: Sendable {
    /// Whether latencies are kept; a warm-up counts only.
    @usableFromInline package let measured: Bool
    /// How often each kind ended in each way, by ``slot(_:_:)``.
    @usableFromInline var counts: [UInt64]
    /// The latencies of each kind and way, made when the first one arrives: most clients need one or two.
    @usableFromInline var histograms: [LatencyHistogram?]

    /// An empty recorder.
    ///
    /// - Parameter measured: `false` for a warm-up, whose latencies nobody reads.
    package init(measured: Bool) {
        self.measured = measured
        counts = Array(repeating: 0, count: Self.slotCount)
        histograms = Array(repeating: nil, count: measured ? Self.slotCount : 0)
    }

    /// Counts one operation. Costs O(1); allocates for the first of its kind and outcome only.
    @inlinable
    @inline(__always)
    package mutating func record(_ operation: OperationKind, _ outcome: Outcome, nanoseconds: UInt64) {
        let slot = Self.slot(operation, outcome)
        counts[slot] &+= 1
        guard measured else { return }
        if histograms[slot] == nil { addHistogram(at: slot) }
        histograms[slot]?.record(nanoseconds)
    }

    /// Adds what another client saw.
    package mutating func merge(_ other: ClientRecorder) {
        for slot in counts.indices { counts[slot] &+= other.counts[slot] }
        for (slot, histogram) in zip(histograms.indices, other.histograms) {
            guard let histogram else { continue }
            if histograms[slot] == nil { histograms[slot] = histogram } else { histograms[slot]?.add(histogram) }
        }
    }

    /// How many operations of a kind ended in one way.
    package func count(_ operation: OperationKind, _ outcome: Outcome) -> UInt64 {
        counts[Self.slot(operation, outcome)]
    }

    /// How many operations were recorded.
    package var operations: UInt64 { counts.reduce(0, &+) }

    @usableFromInline
    @inline(never)
    mutating func addHistogram(at slot: Int) { histograms[slot] = LatencyHistogram() }

    @usableFromInline static var slotCount: Int { 36 }

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
