package import HistoryChecking
package import TrialModel

/// The findings of all schedules together about one promise.
package struct ExplorationFinding: Codable, Hashable, Sendable {
    package var promise: Promise
    package var verdict: ConsistencyVerdict
    /// Operations that could have broken it. Of schedules with equal observations, only one is counted.
    package var operationsChecked: UInt64 = 0
    /// Schedules that broke it. Of schedules with equal observations, only one is counted.
    package var violations: UInt64 = 0
    /// An example that shows it, or why it can't be judged.
    package var example: Counterexample?
    /// Schedules that broke it, in which something took part that is not controlled: they prove nothing, and the promise
    /// is not consistent.
    package private(set) var doubts: UInt64 = 0
    /// The seeds of the first schedules that broke it, up to a hundred.
    private(set) var seeds: [UInt64] = []
    /// The seed of the first interleaving that violated it.
    package var firstSeed: UInt64? { seeds.first }
    /// The smallest script found that breaks it, with a seed that does.
    package var smallest: SmallestScript?

    init(_ promise: Promise) {
        self.promise = promise
        verdict = .unknown
    }

    /// Adds the finding of one schedule.
    mutating func add(_ finding: PromiseFinding, seed: UInt64) {
        operationsChecked += finding.operationsChecked
        switch finding.verdict {
        case .inconsistent: violate(seed: seed, finding.example)
        case .consistent:
            if verdict == .unknown, doubts == 0 { (verdict, example) = (.consistent, nil) }
        case .unknown where finding.violations > 0:
            doubts += 1
            if verdict != .inconsistent { (verdict, example) = (.unknown, finding.example) }
        case .unknown:
            if verdict == .unknown, doubts == 0 { example = finding.example }
        }
    }

    /// Records a schedule that broke the promise.
    mutating func violate(seed: UInt64, _ found: Counterexample?) {
        violations += 1
        if seeds.isEmpty { (verdict, example) = (.inconsistent, found) }
        if seeds.count < 100 { seeds.append(seed) }
    }
}

/// A script from which nothing more can be removed, as far as was tried.
package struct SmallestScript: Codable, Hashable, Sendable {
    package var script: ScheduleScript
    package var seed: UInt64
    /// How the order of the seed is chosen; `nil` leaves it to the carrier.
    package var orders: OrderChoice?
    /// What the schedule of this script and seed shows.
    package var example: Counterexample?
    /// The steps of its threads.
    package var timeline: [String] = []

    package init(script: ScheduleScript, seed: UInt64, example: Counterexample?) {
        self.script = script
        self.seed = seed
        self.example = example
    }
}
