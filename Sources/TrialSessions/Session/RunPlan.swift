import CacheStrategies
package import TimedStrategies
package import TrialModel

/// The trials of a run, in the order in which they are run.
package struct RunPlan: Sendable {
    /// One planned trial.
    package struct Entry: Sendable {
        package var identity: TrialIdentity
        package var scenario: Scenario
        package var registration: Strategy
        /// The index of the program that runs it, from 0.
        var program = 0

        package init(identity: TrialIdentity, scenario: Scenario, registration: Strategy) {
            self.identity = identity
            self.scenario = scenario
            self.registration = registration
        }

        var place: Place { Place(scenario: identity.scenario, strategy: identity.strategy) }
    }

    /// A strategy in a scenario.
    package struct Place: Hashable, Sendable {
        package var scenario: ScenarioPoint
        package var strategy: String

        package init(scenario: ScenarioPoint, strategy: String) {
            self.scenario = scenario
            self.strategy = strategy
        }
    }

    package private(set) var entries: [Entry]

    /// The scenarios, each once, in the order of their first trial.
    package var scenarios: [Scenario] {
        var seen: Set<ScenarioPoint> = []
        return entries.map(\.scenario).filter { seen.insert($0.point).inserted }
    }

    /// A plan of trials in the given order.
    package init(_ entries: [Entry]) {
        self.entries = entries
    }

    /// Repetitions are outermost, so that the repetitions of strategies are interleaved, and a run that has to stop
    /// early has run every strategy equally often. Each repetition starts with another strategy, so that no strategy
    /// always runs first after the server's start or last before the pause.
    ///
    /// - Parameters:
    ///   - scenarios: in the order to run them.
    ///   - strategies: the strategies that a scenario runs against.
    ///   - repetitions: the repetitions of each trial; `nil` takes each scenario's own number.
    package init(
        scenarios: [Scenario], strategies: (Scenario) -> [Strategy], repetitions: Int?
    ) {
        let rounds = scenarios.map { repetitions ?? $0.repetitions }.max() ?? 0
        entries = []
        for repetition in 1...max(1, rounds) {
            for scenario in scenarios where repetition <= repetitions ?? scenario.repetitions {
                let chosen = strategies(scenario)
                for offset in chosen.indices {
                    let registration = chosen[(offset + repetition - 1) % chosen.count]
                    let identity = TrialIdentity(
                        scenario: scenario.point, strategy: registration.declaration.name, repetition: repetition)
                    entries.append(Entry(identity: identity, scenario: scenario, registration: registration))
                }
            }
        }
    }
}

extension RunPlan {
    /// The plan of some of the trials, such as those of a shard that no earlier run has finished.
    package func filter(_ isKept: (TrialIdentity) -> Bool) -> RunPlan {
        RunPlan(entries.filter { isKept($0.identity) })
    }

    /// The trials in groups that run at once, in order.
    ///
    /// - Parameter interleaves: whether trials of one scenario and repetition take turns; else each is a group.
    package func groups(interleaves: Bool) -> [[Entry]] {
        guard interleaves else { return entries.map { [$0] } }
        return entries.reduce(into: []) { groups, entry in
            let last = groups.last?.first?.identity
            if last?.scenario == entry.identity.scenario, last?.repetition == entry.identity.repetition {
                groups[groups.count - 1].append(entry)
            } else {
                groups.append([entry])
            }
        }
    }
}

/// Decides whether there is time for one more trial.
///
/// From the second repetition on it decides for all strategies of a scenario together, so that every strategy has
/// equally many repetitions when time runs out.
package struct TimeBudget: Sendable {
    /// The trials of one scenario in one repetition.
    private struct Block: Hashable {
        var scenario: ScenarioPoint
        var repetition: Int
    }

    private let limit: Duration?
    private let start = ContinuousClock.now
    private var longestByScenario: [ScenarioPoint: Duration] = [:]
    private var decisions: [Block: Bool] = [:]

    /// - Parameter limit: the time limit of all trials together; `nil` means no limit.
    package init(limit: Duration?) {
        self.limit = limit
    }

    /// Whether nothing has run yet. An estimate does not stop the first trial: it may be far too long.
    private var isFirst: Bool { longestByScenario.isEmpty }

    /// Whether something that is not a trial of a plan, such as a search, is expected to end within the limit.
    ///
    /// - Parameter expected: how long the first one of the scenario takes; later ones are judged by the longest so far.
    package func allows(_ expected: Duration, of scenario: ScenarioPoint) -> Bool {
        guard let limit, !isFirst else { return true }
        return ContinuousClock.now - start + (longestByScenario[scenario] ?? expected) <= limit
    }

    /// Notes how long a trial took.
    package mutating func note(_ scenario: ScenarioPoint, took duration: Duration) {
        longestByScenario[scenario] = max(duration, longestByScenario[scenario] ?? .zero)
    }

    /// Whether a trial is expected to end within the limit. The first trial of all is always run, the first one of
    /// another scenario is judged by what its phases say, and later ones by the longest so far.
    package mutating func allows(_ entry: RunPlan.Entry, of plan: RunPlan, interleaves: Bool = false) -> Bool {
        guard let limit else { return true }
        let identity = entry.identity
        let block = Block(scenario: identity.scenario, repetition: identity.repetition)
        if let decision = decisions[block] { return decision }
        let expected = longestByScenario[identity.scenario] ?? entry.scenario.typicalDuration
        let elapsed = ContinuousClock.now - start
        guard identity.repetition > 1 || interleaves else { return isFirst || elapsed + expected <= limit }
        let trials = plan.entries.count {
            $0.identity.scenario == identity.scenario && $0.identity.repetition == identity.repetition
        }
        let decision = isFirst || elapsed + expected * trials <= limit
        decisions[block] = decision
        return decision
    }
}

extension Scenario {
    /// How long a trial of the scenario takes at most, unless the strategy or the machine is much slower than the
    /// origin: the durations of its phases, or the time of their operations if every one of them went to the origin.
    package var expectedDuration: Duration {
        // Every trial reads its trace, at a million requests a second or more.
        let reading = 1_000 * Double(keys.trace?.requestCount ?? 0)
        let nanoseconds = phases.reduce(reading) { total, phase in
            // A picture takes about 25 ns a byte to make and to decode.
            let each =
                1_000_000 + Double(origin.slowestNanoseconds) + Double(phase.thinkTime.largest)
                + 25 * Double(values.largestSize)
            switch phase.length {
            case .duration(let nanoseconds):
                return total + Double(nanoseconds) + each
            case .operations(let count):
                return total + Double(count) / Double(max(1, phase.clients)) * each
            }
        }
        let dayInNanoseconds = 86_400e9
        return .milliseconds(500) + .nanoseconds(Int64(min(nanoseconds, dayInNanoseconds)))
    }

    /// How long a trial of the scenario takes, roughly: with operations of some microseconds, or the delay of its
    /// origin.
    package var typicalDuration: Duration {
        let load = origin.kind == .memory ? 3_000 : 300_000
        let each = Double(load) + Double(origin.slowestNanoseconds)
        let nanoseconds = phases.reduce(0.4e9) { total, phase in
            switch phase.length {
            case .duration(let nanoseconds): total + Double(nanoseconds)
            case .operations(let count):
                total + Double(count) / Double(max(1, phase.clients)) * (each + Double(phase.thinkTime.largest))
            }
        }
        return .nanoseconds(Int64(min(nanoseconds, 86_400e9)))
    }
}

/// Decides after each repetition of a scenario whether its strategies have enough repetitions.
package struct RepetitionRule: Sendable {
    /// Whether a scenario has enough repetitions, from all its results so far and the number of repetitions.
    package typealias IsEnough = @Sendable (_ results: [PhaseResult], _ repetitions: Int) -> Bool

    private let isEnough: IsEnough
    private var results: [ScenarioPoint: [PhaseResult]] = [:]
    private var decisions: [Block: Bool] = [:]

    /// All strategies of a scenario in one repetition: all of them run or none, so that each has equally many
    /// repetitions.
    private struct Block: Hashable {
        var scenario: ScenarioPoint
        var repetition: Int
    }

    /// - Parameter earlier: results of an earlier run in the folder.
    package init(earlier: [PhaseResult] = [], isEnough: @escaping IsEnough) {
        self.isEnough = isEnough
        note(earlier)
    }

    /// Notes the results of a trial.
    package mutating func note(_ results: [PhaseResult]) {
        for result in results {
            var slim = result
            // The figures are enough; the rest would pile up in a long run.
            (slim.distributions, slim.timeline) = ([], [])
            self.results[result.trial.key.trial.scenario, default: []].append(slim)
        }
    }

    /// Whether a trial must still run. A repetition that has begun is finished.
    package mutating func wants(_ trial: TrialIdentity) -> Bool {
        let block = Block(scenario: trial.scenario, repetition: trial.repetition)
        if let decision = decisions[block] { return decision }
        let known = results[trial.scenario] ?? []
        let isBegun = known.contains { $0.trial.key.trial.repetition == trial.repetition }
        let decision = isBegun || !isEnough(known, trial.repetition - 1)
        decisions[block] = decision
        return decision
    }
}
