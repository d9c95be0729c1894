extension LatencyObjective {
    /// The limited figure, such as `p99` or `p50 of write`.
    package var name: String {
        operation.map { "\(figure.rawValue) of \($0.rawValue)" } ?? figure.rawValue
    }
}

extension LatencyObjective.Figure {
    /// The share of operations that may take longer than the percentile: 0.01 for `p99`.
    package var shareAbove: Double {
        switch self {
        case .p50: 0.5
        case .p90: 0.1
        case .p95: 0.05
        case .p99: 0.01
        case .p99_9: 0.001
        case .p99_99: 0.0001
        case .max: 0
        }
    }

    /// With fewer operations than this, the percentile is simply the longest operation.
    package var leastOperations: Double { shareAbove > 0 ? 1 / shareAbove : 1 }
}
