/// What a phase must show, so that a scenario that does not exercise what it claims cannot pass.
package indirect enum Expectation: Codable, Hashable, Sendable {
    /// The share of the lookups that are hits is within a range.
    case hitRatio(atLeast: Double, atMost: Double)
    /// At least this many misses met another load of their key in flight: duplicate loads plus joined loads.
    case contendedMisses(atLeast: UInt64)
    /// At most this many requests reached the origin while another request for their key was in flight.
    case duplicateLoads(atMost: UInt64)
    /// At most this many operations were due but not sent.
    case droppedOperations(atMost: UInt64)
    /// At most this share of the frames is missed, without the frames that the machine made late.
    case missedFrames(atMost: Double)
    /// A percentile of the latencies stays within a limit.
    case latency(LatencyObjective)
    /// The keys of one named pool meet an expectation.
    case ofPool(String, Expectation)
}

/// A limit for a percentile of latencies, such as `p99 <= 5 ms` or `p50 of write <= 20 us`.
package struct LatencyObjective: Codable, Hashable, Sendable {
    /// The percentiles that a limit may be set for.
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

    /// The measured value that the objective limits, from the rows of a phase; `nil` when there was no such operation.
    package func value(in rows: [LatencyRow]) -> UInt64? {
        (rows.asCallersSee(Selection(operation))?.latency).map(figure.value(in:))
    }
}
