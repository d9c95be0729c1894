/// A workload: keys, values, capacity, origin and phases, replayed against every strategy alike.
///
/// A scenario is deterministic: the same scenario and seed give every client the same operations.
package struct Scenario: Codable, Hashable, Sendable {
    /// The file's name without its extension, and the point of the sweep; they stand in every row.
    package var point: ScenarioPoint
    /// The file's name without its extension.
    package var name: String { point.name }
    /// Whether it is a point of a sweep.
    package var isSwept: Bool { !point.swept.isEmpty }
    /// One line that says what the scenario shows.
    package var title: String
    /// The seed of every random choice.
    package var seed: UInt64
    /// How often each trial is repeated, unless the command line says otherwise.
    package var repetitions: Int
    /// The keys that operations choose from.
    package var keys: KeySpace
    /// The pools that the keys fall into, in the order of their keys; empty when they are not told apart.
    package var pools: [KeyPool]
    /// What stands behind a key.
    package var values: ValueSpecification
    /// The limits that every strategy is given.
    package var capacity: Capacity
    /// Where loads fetch from.
    package var origin: OriginSpecification
    /// The strategies on trial by name; `nil` means all that are sound, and the bounds.
    package var strategies: [String]?
    /// How long an interval of `timeline.csv` is, in nanoseconds.
    package var timelineInterval: UInt64
    /// The smallest difference of each metric that a comparison reports, as a share or in points of a ratio; `nil`
    /// leaves it to the metrics.
    package var smallestDifferences: [ComparisonMetric: Double]?
    /// The stretches of the workload, in order; the cache lives through all of them.
    package var phases: [Phase]
    /// Whether every operation is written down, and strategies are held to their promises.
    package var check: Bool

    /// An interval of `timeline.csv` when nothing is said: 1 s.
    package static let timelineIntervalDefault: UInt64 = 1_000_000_000

    package init(
        name: ScenarioPoint, title: String, seed: UInt64, repetitions: Int, keys: KeySpace, pools: [KeyPool] = [],
        values: ValueSpecification, capacity: Capacity, origin: OriginSpecification, strategies: [String]?,
        timelineInterval: UInt64 = timelineIntervalDefault, smallestDifferences: [ComparisonMetric: Double]? = nil,
        phases: [Phase], check: Bool = false
    ) {
        point = name
        self.title = title
        self.seed = seed
        self.repetitions = repetitions
        self.keys = keys
        self.pools = pools
        self.values = values
        self.capacity = capacity
        self.origin = origin
        self.strategies = strategies
        self.timelineInterval = timelineInterval
        self.smallestDifferences = smallestDifferences
        self.phases = phases
        self.check = check
    }
}

extension Scenario {
    /// The origin with what the phases say of it.
    package var originOfTrial: OriginSpecification {
        var origin = origin
        let offline = phases.indices.filter { phases[$0].offline }
        origin.offlinePhases = offline.isEmpty ? nil : Set(offline.map { UInt16(clamping: $0) })
        return origin
    }
}

/// The limits a strategy is given; an absent limit is no limit.
package struct Capacity: Codable, Hashable, Sendable {
    /// The most entries the cache may hold.
    package var entries: Int?
    /// The most bytes the cache may hold: the sum of its entries' costs.
    package var bytes: Int?

    package init(entries: Int? = nil, bytes: Int? = nil) {
        self.entries = entries
        self.bytes = bytes
    }
}
