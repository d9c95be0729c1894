import Foundation

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

extension Expectation {
    /// Why a phase misses the expectation, and by how much; `nil` when the phase meets it.
    package func shortfall(in result: PhaseResult) -> String? {
        switch self {
        case .hitRatio(let low, let high):
            guard let row = result.hitRate, row.lookups > 0 else {
                return "a hit ratio was expected, but no operation looked up a key"
            }
            let ratio = Double(row.hits) / Double(row.lookups)
            if ratio < low {
                return "hit ratio \(percent(ratio)), expected at least \(percent(low)): \(points(low - ratio)) too low"
            }
            if ratio > high {
                return
                    "hit ratio \(percent(ratio)), expected at most \(percent(high)): \(points(ratio - high)) too high"
            }
            return nil
        case .contendedMisses(let least):
            guard let row = result.hitRate, let duplicates = row.duplicateLoads else {
                return "contended misses were expected, but the origin did not count duplicate loads"
            }
            let count = duplicates &+ row.joinedLoads
            return count >= least
                ? nil : "\(count) contended misses, expected at least \(least): \(least - count) too few"
        case .duplicateLoads(let most):
            return tooMany(result.hitRate?.duplicateLoads ?? 0, most, "duplicate loads")
        case .droppedOperations(let most):
            return tooMany(result.hitRate?.droppedOperations ?? 0, most, "dropped operations")
        case .missedFrames(let most):
            guard let share = result.frames?.missedShare else {
                return "missed frames were limited, but no frame was drawn"
            }
            return share <= most
                ? nil
                : "\(percent(share)) of the frames missed, expected at most \(percent(most)): "
                    + "\(points(share - most)) too many"
        case .latency(let objective): return shortfall(of: objective, in: result.latency)
        case .ofPool(let name, let expectation):
            return expectation.shortfall(in: result.narrowed(to: .only(name))).map { "pool \(name): \($0)" }
        }
    }

    private func shortfall(of objective: LatencyObjective, in rows: [LatencyRow]) -> String? {
        let name = objective.name
        guard let value = objective.value(in: rows) else {
            return "\(name) was expected, and there was no such operation"
        }
        guard value > objective.limit else { return nil }
        return
            "\(name) \(Quantity.duration(nanoseconds: value)), "
            + "expected at most \(Quantity.duration(nanoseconds: objective.limit)): "
            + "\(Quantity.duration(nanoseconds: value - objective.limit)) too long"
    }

    private func tooMany(_ count: UInt64, _ most: UInt64, _ name: String) -> String? {
        count <= most ? nil : "\(count) \(name), expected at most \(most): \(count - most) too many"
    }

    private func percent(_ share: Double) -> String { String(format: "%.2f %%", share * 100) }

    private func points(_ share: Double) -> String { String(format: "%.2f pp", share * 100) }
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
        package func value(in summary: LatencySummary) -> UInt64? {
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
        (self.figure, self.operation, self.limit) = (figure, operation, limit)
    }

    /// The limited figure, such as `p99` or `p50 of write`.
    package var name: String {
        operation.map { "\(figure.rawValue) of \($0.rawValue)" } ?? figure.rawValue
    }

    /// The measured value that the objective limits, from the rows of a phase; `nil` when there was no such operation.
    package func value(in rows: [LatencyRow]) -> UInt64? {
        (rows.asCallersSee(Selection(operation))?.latency).flatMap(figure.value(in:))
    }
}
