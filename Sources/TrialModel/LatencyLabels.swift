/// The labels that distinguish the latency distributions of a phase.
package struct LatencyLabels: Codable, Hashable, Sendable {
    /// The key pool, by its name.
    package var pool: Selection<String>
    package var operation: Selection<OperationKind>
    package var outcome: Selection<Outcome>
    package var basis: LatencyBasis
    /// The tier in which hits were found, for a row about one tier.
    package var tier: Selection<Tier>

    /// Creates labels; the defaults mean all operations on all keys, timed from sending.
    package init(
        pool: Selection<String> = .all, operation: Selection<OperationKind> = .all, outcome: Selection<Outcome> = .all,
        basis: LatencyBasis = .service, tier: Selection<Tier> = .all
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
