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

/// A distribution of latencies, with the labels of its row in `latency.csv`.
package struct LabelledLatencies: Sendable {
    /// The labels of the row.
    package let labels: LatencyLabels
    /// All latencies of the row.
    package let histogram: LatencyHistogram

    /// The row.
    ///
    /// - Parameters:
    ///   - key: the columns that every row starts with.
    ///   - elapsedNanoseconds: how long the phase took, for the throughput; 0 gives a throughput of 0.
    package func row(key: RowKey, elapsedNanoseconds: UInt64) -> LatencyRow {
        let seconds = Double(elapsedNanoseconds) / 1e9
        return LatencyRow(
            key: key, labels: labels, count: histogram.count,
            throughputPerSecond: seconds > 0 ? Double(histogram.count) / seconds : 0, latency: histogram.summary())
    }

    /// The complete distribution behind the row.
    package var encoded: EncodedDistribution {
        EncodedDistribution(labels: labels, longestNanoseconds: histogram.longest, encoded: histogram.encoded())
    }
}

extension ClientRecorder {
    /// What the rows of `latency.csv` show: the latencies per kind and outcome, per kind, and over all kinds; empty for
    /// a warm-up.
    ///
    /// A write, a removal and a clear have no distinct outcomes, so they are only there for all outcomes. The order is
    /// that of the declarations, with `all` last. Counts add up: those of a kind to its `all`, and these to the last
    /// one. Only cancelled loads are left out of `all`: their callers, and not the cache, chose how long they took.
    ///
    /// - Parameters:
    ///   - pool: the key pool of the operations.
    ///   - basis: the start of the latency measurement.
    package func latencies(
        pool: Selection<String> = .all, basis: LatencyBasis = .service
    ) -> [LabelledLatencies] {
        var rows: [LabelledLatencies] = []
        var labels = LatencyLabels(pool: pool, basis: basis)
        var everything: LatencyHistogram?
        for operation in OperationKind.allCases {
            var total: LatencyHistogram?
            labels.operation = .only(operation)
            for outcome in Outcome.allCases {
                guard let histogram = histogram(operation, outcome) else { continue }
                labels.outcome = .only(outcome)
                if operation.hasOutcomes { rows.append(LabelledLatencies(labels: labels, histogram: histogram)) }
                if outcome != .cancelled { total = total.adding(histogram) }
            }
            guard let total else { continue }
            labels.outcome = .all
            rows.append(LabelledLatencies(labels: labels, histogram: total))
            everything = everything.adding(total)
        }
        guard let everything else { return rows }
        return rows + [LabelledLatencies(labels: LatencyLabels(pool: pool, basis: basis), histogram: everything)]
    }

    /// The latencies of hits that were found in one tier, per kind.
    package func latencies(of tier: HitTier) -> [LabelledLatencies] {
        OperationKind.allCases.compactMap { operation in
            histogram(operation, .hit).map {
                LabelledLatencies(
                    labels: LatencyLabels(operation: .only(operation), outcome: .only(.hit), tier: .only(tier)),
                    histogram: $0)
            }
        }
    }

    /// The memory of the recorder's distributions, in bytes, to be subtracted from a memory reading.
    package var footprintBytes: UInt64 { histograms.reduce(0) { $0 &+ $1.footprintBytes } }
}

extension OperationKind {
    /// Whether the kind has rows by outcome.
    fileprivate var hasOutcomes: Bool {
        switch self {
        case .read, .load, .burst: true
        case .write, .remove, .clear, .prefetch: false
        }
    }
}

extension LatencyHistogram? {
    /// The sum of both distributions.
    fileprivate func adding(_ other: LatencyHistogram) -> LatencyHistogram {
        guard var sum = self else { return other }
        sum.add(other)
        return sum
    }
}
