/// What a phase has to show, so that a scenario that does not exercise what it claims can't pass.
package indirect enum Expectation: Codable, Hashable, Sendable {
    /// The share of the lookups that are hits is within a range.
    case hitRatio(atLeast: Double, atMost: Double)
    /// At least so many misses met another load of their key under way: duplicate loads and joined ones.
    case contendedMisses(atLeast: UInt64)
    /// At most so many requests reached the origin while another one for their key was under way.
    case duplicateLoads(atMost: UInt64)
    /// At most so many operations were due and not sent.
    case droppedOperations(atMost: UInt64)
    /// At most such a share of the frames are missed, those of the machine aside.
    case missedFrames(atMost: Double)
    /// A percentile of the latencies stays within a limit.
    case latency(LatencyObjective)
    /// The keys of one pool, given by its name, meet an expectation.
    case ofPool(String, Expectation)
}

/// A limit for a percentile of latencies, such as `p99 <= 5 ms` or `p50 of write <= 20 us`.
package struct LatencyObjective: Codable, Hashable, Sendable {
    /// The figures that a limit may be set for.
    package enum Figure: String, Codable, Hashable, Sendable, CaseIterable {
        case p50, p90, p95, p99
        case p99_9 = "p99.9"
        case p99_99 = "p99.99"
        case max

        /// The figure of a summary, in nanoseconds.
        package func value(in summary: LatencySummary) -> UInt64 {
            switch self {
            case .p50: summary.p50
            case .p90: summary.p90
            case .p95: summary.p95
            case .p99: summary.p99
            case .p99_9: summary.p99_9
            case .p99_99: summary.p99_99
            case .max: summary.max
            }
        }
    }

    package var figure: Figure
    /// Which operations count; `nil` for all.
    package var operation: OperationKind?
    /// The most that is allowed, in nanoseconds.
    package var limit: UInt64

    package init(figure: Figure, operation: OperationKind? = nil, limit: UInt64) {
        self.figure = figure
        self.operation = operation
        self.limit = limit
    }

    /// The figure that the objective is about, among the rows of a phase; `nil` when there was no such operation.
    package func value(in rows: [LatencyRow]) -> UInt64? {
        (rows.asCallersSee(Selection(operation))?.latency).map(figure.value(in:))
    }
}
