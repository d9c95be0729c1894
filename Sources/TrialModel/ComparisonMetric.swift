/// A metric that a comparison judges.
package enum ComparisonMetric: String, CaseIterable, Codable, Hashable, Sendable, CellValue {
    case throughput, p50, p99
    case p99_9 = "p99_9"
    case hitRatio = "hit_ratio"
    case byteHitRatio = "byte_hit_ratio"
    /// Per lookup, because a faster strategy sends more operations in a phase that ends by the clock.
    case duplicateLoads = "duplicate_loads"
    case bytesPerEntry = "bytes_per_entry"
    case allocationsPerOperation = "allocations_per_operation"
    case instructions = "instructions_per_operation"
    /// Per frame, without the frames that the machine made late.
    case missedFrames = "missed_frames"
    case overBudgetFrames = "over_budget_frames"
    /// How long a cache holds the main thread in a frame.
    case heldP99 = "held_p99"
    /// Per cell that comes into view.
    case shownAtOnce = "shown_at_once"
    /// Of the cells that are not shown at once.
    case timeToPictureP50 = "time_to_picture_p50"
    case timeToPictureP99 = "time_to_picture_p99"
    /// Bytes given back under memory pressure, within 100 ms.
    case bytesGivenBack = "bytes_given_back"
    /// Operations until the hit ratio is back at 90 % of its value before the pressure.
    case operationsToRecovery = "operations_to_recovery"
    /// The share of prefetched values that a lookup found or waited for.
    case prefetchUseful = "prefetch_useful"

    /// The unit of the figure; empty for a ratio.
    package var unit: String {
        switch self {
        case .throughput: "1/s"
        case .p50, .p99, .p99_9, .heldP99, .timeToPictureP50, .timeToPictureP99: "ns"
        case .hitRatio, .byteHitRatio, .shownAtOnce, .prefetchUseful: ""
        case .missedFrames, .overBudgetFrames: "1/frame"
        case .duplicateLoads: "1/lookup"
        case .bytesPerEntry, .bytesGivenBack: "bytes"
        case .operationsToRecovery: "operations"
        case .allocationsPerOperation, .instructions: "1/operation"
        }
    }

    /// Whether a larger value is better.
    package var higherIsBetter: Bool {
        switch self {
        case .throughput, .hitRatio, .byteHitRatio, .shownAtOnce, .bytesGivenBack, .prefetchUseful: true
        case .p50, .p99, .p99_9, .duplicateLoads, .bytesPerEntry, .allocationsPerOperation, .instructions,
            .missedFrames, .overBudgetFrames, .heldP99, .timeToPictureP50, .timeToPictureP99, .operationsToRecovery:
            false
        }
    }

    /// Whether the metric depends on the machine's speed.
    package var isTime: Bool {
        switch self {
        case .throughput, .p50, .p99, .p99_9, .missedFrames, .overBudgetFrames, .heldP99, .shownAtOnce,
            .timeToPictureP50, .timeToPictureP99, .prefetchUseful:
            true
        case .hitRatio, .byteHitRatio, .duplicateLoads, .bytesPerEntry, .allocationsPerOperation, .instructions,
            .bytesGivenBack, .operationsToRecovery:
            false
        }
    }

    /// Whether the metric follows from the operations alone when one client sends them.
    package var isCount: Bool { self == .hitRatio || self == .byteHitRatio || self == .duplicateLoads }

    /// The smallest difference worth reporting, unless the user sets another one.
    package var smallestDifference: SmallestDifference {
        switch self {
        case .throughput: SmallestDifference(share: 0.05)
        // Between two builds, the cost of reading the clock differs by more than 10 ns.
        case .p50: SmallestDifference(share: 0.05, amount: 10)
        case .p99: SmallestDifference(share: 0.1, amount: 10)
        case .p99_9: SmallestDifference(share: 0.2, amount: 10)
        // In points, not in per cent: half a point means the same load on the origin at a hit ratio of 20 % and of 90
        // %.
        case .hitRatio, .byteHitRatio: SmallestDifference(amount: 0.005)
        case .duplicateLoads: SmallestDifference(amount: 0.001)
        case .bytesPerEntry: SmallestDifference(share: 0.05, amount: 8)
        case .allocationsPerOperation: SmallestDifference(share: 0.05, amount: 0.05)
        // Two runs of one program usually differ by less; Results/README.md says by how much.
        case .instructions: SmallestDifference(share: 0.002)
        case .missedFrames, .overBudgetFrames, .shownAtOnce, .prefetchUseful: SmallestDifference(amount: 0.01)
        case .heldP99: SmallestDifference(share: 0.1, amount: 50_000)
        case .timeToPictureP50, .timeToPictureP99: SmallestDifference(share: 0.1)
        case .bytesGivenBack: SmallestDifference(share: 0.05, amount: 512)
        // 512 is twice the window of lookups over which the hit ratio is taken.
        case .operationsToRecovery: SmallestDifference(share: 0.1, amount: 512)
        }
    }

    /// The smallest difference as the user sets it: a share, or points for a metric that counts in points. With a
    /// share, the metric's own amount still applies.
    package func smallestDifference(_ share: Double) -> SmallestDifference {
        var difference = smallestDifference
        if difference.share == nil { difference.amount = share } else { difference.share = share }
        return difference
    }
}

/// The smallest difference worth reporting: the larger of the share and the amount.
package struct SmallestDifference: Codable, Hashable, Sendable {
    /// A share of the smaller side; `nil` when only the amount counts.
    package var share: Double?
    /// In the metric's unit.
    package var amount: Double

    package init(share: Double? = nil, amount: Double = 0) {
        self.share = share
        self.amount = amount
    }
}
