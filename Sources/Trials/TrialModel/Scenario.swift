/// A workload: keys, values, capacity, origin and phases, replayed against every strategy alike.
///
/// A scenario is deterministic: the same scenario and seed give every client the same operations.
package struct Scenario: HasDefaults, Codable, Hashable, Sendable {
    /// The file's name without its extension, and the point of the sweep; every row shows both.
    package var point: ScenarioPoint = ""
    /// The file's name without its extension.
    package var name: String { point.name }
    /// Whether the scenario is a point of a sweep.
    package var isSwept: Bool { !point.swept.isEmpty }
    /// A one-line description of what the scenario shows.
    package var title = ""
    /// What the scenario asks, and what decides.
    package var question = ScenarioQuestion()
    /// The seed of every random choice.
    package var seed: UInt64 = 1
    /// How often each trial is repeated, unless the command line sets another number.
    package var repetitions = 3
    /// The keys that operations choose from.
    package var keys = KeySpace()
    /// The pools that divide the keys, in key order; empty without pools.
    package var pools: [KeyPool] = []
    /// The values that belong to the keys.
    package var values = ValueSpecification()
    /// The limits that every strategy is given.
    package var capacity = Capacity()
    /// Where loads fetch from.
    package var origin = OriginSpecification()
    /// The names of the strategies on trial; `nil` means all candidates and baselines.
    package var strategies: [String]?
    /// The length of an interval of `timeline.csv`, in nanoseconds.
    package var timelineInterval: UInt64 = 1_000_000_000
    /// The smallest difference that a comparison reports for each metric, as a share or in points of a ratio; `nil`
    /// means the metrics' defaults.
    package var smallestDifferences: [Metric: Double]?
    /// The phases of the workload, in order; the cache keeps its content between phases.
    package var phases: [Phase] = []
    /// Whether every operation is recorded and the strategies' promises are checked.
    package var check = false

    package static var defaults: Self { Self() }

    /// ``smallestDifferences`` as metrics use them; empty for the metrics' defaults.
    package var differences: [Metric: SmallestDifference] {
        Dictionary((smallestDifferences ?? [:]).map { ($0.key, $0.key.smallestDifference($0.value)) }) { first, _ in
            first
        }
    }

    /// The origin, including the phases in which it is offline.
    package var originOfTrial: OriginSpecification {
        var origin = origin
        let offline = phases.indices.filter { phases[$0].offline }
        origin.offlinePhases = offline.isEmpty ? nil : Set(offline.map { UInt16(clamping: $0) })
        return origin
    }
}

extension Scenario {
    package init(
        name: ScenarioPoint, title: String, seed: UInt64, repetitions: Int, keys: KeySpace, values: ValueSpecification,
        capacity: Capacity, origin: OriginSpecification, strategies: [String]?, phases: [Phase]
    ) {
        self = .defaults
        (point, self.title, self.seed, self.repetitions) = (name, title, seed, repetitions)
        (self.keys, self.values, self.capacity, self.origin) = (keys, values, capacity, origin)
        (self.strategies, self.phases) = (strategies, phases)
    }
}

/// The limits of a strategy; an absent limit means unlimited.
package struct Capacity: Codable, Hashable, Sendable {
    /// The most entries the cache may hold.
    package var entries: Int?
    /// The most bytes the cache may hold: the sum of its entries' costs.
    package var bytes: Int?

    package init(entries: Int? = nil, bytes: Int? = nil) { (self.entries, self.bytes) = (entries, bytes) }
}

/// A value that is changed in copies.
package protocol Changeable {}

extension Changeable {
    /// A copy with changes.
    package func with(_ change: (inout Self) throws -> Void) rethrows -> Self {
        var changed = self
        try change(&changed)
        return changed
    }
}

/// A value whose properties all have defaults, so that callers set only those that differ.
///
/// Types declare their own initialisers in extensions, if any: so tests can use the memberwise one as well.
package protocol HasDefaults: Changeable {
    static var defaults: Self { get }
}
