/// The labels that distinguish the latency distributions of a phase.
package struct LatencyLabels: Codable, Hashable, Sendable {
    /// The key pool, by its name.
    package var pool: Selection<String>
    package var operation: Selection<OperationKind>
    package var outcome: Selection<Outcome>
    package var basis: LatencyBasis
    /// The tier in which hits were found, for a row about one tier.
    package var tier: Selection<HitTier>

    /// Creates labels; the defaults mean all operations on all keys, timed from sending.
    package init(
        pool: Selection<String> = .all, operation: Selection<OperationKind> = .all, outcome: Selection<Outcome> = .all,
        basis: LatencyBasis = .service, tier: Selection<HitTier> = .all
    ) {
        self.pool = pool
        self.operation = operation
        self.outcome = outcome
        self.basis = basis
        self.tier = tier
    }
}

/// The start of a latency measurement.
package enum LatencyBasis: String, Codable, Hashable, Sendable, CaseIterable, CellValue {
    /// Service time: from sending an operation to its end.
    case service
    /// Response time: from the moment the operation was due to its end. It avoids coordinated omission.
    case response
}

/// How an operation ended, as the caller saw it. Outcomes are disjoint.
@usableFromInline
package enum Outcome: String, Codable, Hashable, Sendable, CaseIterable, CellValue {
    /// The value was in the cache.
    case hit
    /// The value was not in the cache; a load fetched it.
    case miss
    /// The caller waited for a load already in flight instead of starting one.
    case joined
    /// The load threw an error.
    case failed
    /// The caller gave up before the load ended.
    case cancelled
    /// A write, removal or clear, which has no distinct outcomes; its only row is the one for all outcomes.
    case done
}

/// A complete latency distribution of a phase; the row of `latency.csv` with the same labels shows its percentiles.
package struct EncodedDistribution: Codable, Hashable, Sendable {
    package var labels: LatencyLabels
    /// The exact longest latency, in nanoseconds.
    package var longestNanoseconds: UInt64
    /// The counts in HdrHistogram's compressed format, version 2, in Base64.
    package var encoded: String

    package init(labels: LatencyLabels = LatencyLabels(), longestNanoseconds: UInt64, encoded: String) {
        self.labels = labels
        self.longestNanoseconds = longestNanoseconds
        self.encoded = encoded
    }
}
