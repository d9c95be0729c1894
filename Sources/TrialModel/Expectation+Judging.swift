import Foundation

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
                return "hit ratio \(percent(ratio)), expected at least \(percent(low)): \(percent(low - ratio)) too low"
            }
            if ratio > high {
                return
                    "hit ratio \(percent(ratio)), expected at most \(percent(high)): \(percent(ratio - high)) too high"
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
                    + "\(percent(share - most)) too many"
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
            "\(name) \(time(value)), expected at most \(time(objective.limit)): "
            + "\(time(value - objective.limit)) too long"
    }

    private func tooMany(_ count: UInt64, _ most: UInt64, _ name: String) -> String? {
        count <= most ? nil : "\(count) \(name), expected at most \(most): \(count - most) too many"
    }

    private func percent(_ share: Double) -> String { String(format: "%.2f %%", share * 100) }

    private func time(_ nanoseconds: UInt64) -> String {
        switch nanoseconds {
        case ..<10_000: "\(nanoseconds) ns"
        case ..<10_000_000: String(format: "%.1f us", Double(nanoseconds) / 1e3)
        case ..<10_000_000_000: String(format: "%.1f ms", Double(nanoseconds) / 1e6)
        default: String(format: "%.1f s", Double(nanoseconds) / 1e9)
        }
    }
}
