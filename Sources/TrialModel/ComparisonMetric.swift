/// A figure that is compared.
package enum ComparisonMetric: String, CaseIterable, Codable, Hashable, Sendable, CellValue {
    case throughput, p50, p99
    case p99_9 = "p99_9"
    case hitRatio = "hit_ratio"
    case byteHitRatio = "byte_hit_ratio"
    /// For each lookup: a phase that ends by the clock has more of everything when it is faster.
    case duplicateLoads = "duplicate_loads"
    case bytesPerEntry = "bytes_per_entry"
    case allocationsPerOperation = "allocations_per_operation"
    case instructions = "instructions_per_operation"
    /// For each frame, those of the machine aside.
    case missedFrames = "missed_frames"
    case overBudgetFrames = "over_budget_frames"
    /// How long a cache holds the main thread in a frame.
    case heldP99 = "held_p99"
    /// For each cell that comes into view.
    case shownAtOnce = "shown_at_once"
    /// Of cells that are not shown at once.
    case timeToPictureP50 = "time_to_picture_p50"
    case timeToPictureP99 = "time_to_picture_p99"
    /// Under memory pressure, within 100 ms.
    case bytesGivenBack = "bytes_given_back"
    /// Until the hit ratio is back at 90 %.
    case operationsToRecovery = "operations_to_recovery"
    /// Of the values that were prefetched, those that a lookup found or waited for.
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

    /// Whether a larger figure is the better one.
    package var higherIsBetter: Bool {
        switch self {
        case .throughput, .hitRatio, .byteHitRatio, .shownAtOnce, .bytesGivenBack, .prefetchUseful: true
        case .p50, .p99, .p99_9, .duplicateLoads, .bytesPerEntry, .allocationsPerOperation, .instructions,
            .missedFrames, .overBudgetFrames, .heldP99, .timeToPictureP50, .timeToPictureP99, .operationsToRecovery:
            false
        }
    }

    /// Whether the machine's speed is in it.
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

    /// Whether it follows from the operations alone where one client sends them.
    package var isCount: Bool { self == .hitRatio || self == .byteHitRatio || self == .duplicateLoads }

    /// The smallest difference worth reporting, unless somebody says otherwise.
    package var smallestDifference: SmallestDifference {
        switch self {
        case .throughput: SmallestDifference(share: 0.05)
        // Ten nanoseconds are less than what reading the clock differs between two builds.
        case .p50: SmallestDifference(share: 0.05, amount: 10)
        case .p99: SmallestDifference(share: 0.1, amount: 10)
        case .p99_9: SmallestDifference(share: 0.2, amount: 10)
        // Per cent of a hit ratio mean little: half a point is as much to the origin at 20 % as at 90 %.
        case .hitRatio, .byteHitRatio: SmallestDifference(amount: 0.005)
        case .duplicateLoads: SmallestDifference(amount: 0.001)
        case .bytesPerEntry: SmallestDifference(share: 0.05, amount: 8)
        case .allocationsPerOperation: SmallestDifference(share: 0.05, amount: 0.05)
        // Two runs of one program mostly differ by less; Results/README.md says by how much.
        case .instructions: SmallestDifference(share: 0.002)
        case .missedFrames, .overBudgetFrames, .shownAtOnce, .prefetchUseful: SmallestDifference(amount: 0.01)
        case .heldP99: SmallestDifference(share: 0.1, amount: 50_000)
        case .timeToPictureP50, .timeToPictureP99: SmallestDifference(share: 0.1)
        case .bytesGivenBack: SmallestDifference(share: 0.05, amount: 512)
        // Twice the lookups over which the hit ratio is taken.
        case .operationsToRecovery: SmallestDifference(share: 0.1, amount: 512)
        }
    }

    /// The smallest difference that somebody wants reported: a share, or points where the metric counts in points. A
    /// share keeps the metric's own amount beside it.
    package func smallestDifference(_ share: Double) -> SmallestDifference {
        var difference = smallestDifference
        if difference.share == nil { difference.amount = share } else { difference.share = share }
        return difference
    }
}

/// The smallest difference worth reporting: the larger one of both.
package struct SmallestDifference: Codable, Hashable, Sendable {
    /// A share of the smaller side; `nil` where only amounts count.
    package var share: Double?
    /// In the metric's unit.
    package var amount: Double

    package init(share: Double? = nil, amount: Double = 0) {
        self.share = share
        self.amount = amount
    }
}
