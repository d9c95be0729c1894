/// What tells the latency distributions of a phase apart.
package struct LatencyLabels: Codable, Hashable, Sendable {
    /// The key pool, by its name.
    package var pool: Selection<String>
    package var operation: Selection<OperationKind>
    package var outcome: Selection<Outcome>
    package var basis: LatencyBasis
    /// Where hits were found, of a row about one such place.
    package var tier: Selection<Tier>

    /// Labels of all operations on all keys, timed from when they were sent, unless they say otherwise.
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

/// What a latency is measured from.
package enum LatencyBasis: String, Codable, Hashable, Sendable, CaseIterable, CellValue {
    /// From sending an operation to its end.
    case service
    /// From the moment the operation was due to its end: what a caller waits who does not wait for others.
    case response
}
