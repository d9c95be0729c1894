import TrialModel

/// What one repetition of a strategy came to, over the measured phases of a scenario.
struct RepetitionFigures: Sendable {
    var lookups: UInt64 = 0
    var hits: UInt64 = 0
    /// `nil` when the origin kept no log in one of the phases.
    var originLoads: UInt64?
    var duplicateLoads: UInt64?
    /// From the phase with the highest 99th percentile: figures of different phases are never mixed.
    var p50: UInt64?
    var p99: UInt64?
    var operationsPerSecond: Double?

    /// Requests that reached the origin, per lookup.
    var originShare: Double? {
        guard lookups > 0, let originLoads else { return nil }
        return Double(originLoads) / Double(lookups)
    }

    var hitRatio: Double? { lookups == 0 ? nil : Double(hits) / Double(lookups) }

    /// - Parameters:
    ///   - phases: the measured phases of one repetition.
    ///   - operation: whose latency counts.
    init(_ phases: [PhaseResult], operation: String) {
        let rates = phases.compactMap(\.hitRate)
        lookups = Self.sum(rates.map(\.lookups)) ?? 0
        hits = Self.sum(rates.map(\.hits)) ?? 0
        originLoads = Self.sum(rates.map(\.originLoads))
        duplicateLoads = Self.sum(rates.map(\.duplicateLoads))

        let latencies = phases.compactMap { Self.latency($0, operation: operation) }
        let slowest = latencies.max { ($0.p99, $0.p50) < ($1.p99, $1.p50) }
        p50 = slowest?.p50
        p99 = slowest?.p99

        if let operations = Self.sum(phases.map(\.trial.operations)),
            let elapsed = Self.sum(phases.map(\.trial.elapsedNanoseconds)), elapsed > 0
        {
            operationsPerSecond = Double(operations) * 1_000_000_000 / Double(elapsed)
        }
    }

    /// The service time of an operation, whatever its outcome.
    static func latency(_ phase: PhaseResult, operation: String) -> LatencySummary? {
        phase.latency.first {
            $0.operation == operation && $0.outcome == "all" && $0.pool == "all" && $0.basis == "service"
        }?.latency
    }

    /// `nil` for no figures at all, when one of them is missing, or when the sum is out of range.
    private static func sum(_ figures: [UInt64?]) -> UInt64? {
        guard !figures.isEmpty else { return nil }
        var total: UInt64 = 0
        for figure in figures {
            guard let figure else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(figure)
            if overflow { return nil }
            total = sum
        }
        return total
    }
}
