import CacheStrategies
import Origins
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

        /// Its strategy in its scenario.
        var place: TrialIdentity { identity.place }
    }

    package private(set) var entries: [Entry]

    /// The scenarios, each once, in the order of their first trial, as they are in its repetition.
    package var scenarios: [Scenario] {
        var seen: Set<ScenarioPoint> = []
        return entries.map(\.scenario).filter { seen.insert($0.point).inserted }
    }

    /// A plan of trials in the given order.
    package init(_ entries: [Entry]) {
        self.entries = entries
    }

    /// Repetitions are outermost, so that a run that has to stop early has run every strategy equally often. The first
    /// one has the strategies in their order, each later one in another order, so that no strategy always runs after
    /// the same one.
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
                var chosen = strategies(scenario)
                var random = RandomSource(seed: scenario.seed, stream: UInt64(repetition))
                if repetition > 1 { random.shuffle(&chosen) }
                for registration in chosen {
                    let identity = TrialIdentity(
                        scenario: scenario.point, strategy: registration.declaration.name, repetition: repetition)
                    entries.append(
                        Entry(
                            identity: identity, scenario: scenario.ofRepetition(repetition), registration: registration)
                    )
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

    /// The trials of each scenario in each repetition, in order.
    package var blocks: [[Entry]] {
        entries.reduce(into: []) { blocks, entry in
            if blocks.last?.first?.identity.block == entry.identity.block {
                blocks[blocks.count - 1].append(entry)
            } else {
                blocks.append([entry])
            }
        }
    }
}

/// Decides whether there is time for one more trial.
///
/// From the second repetition on it decides for all strategies of a scenario together, so that every strategy has
/// equally many repetitions when time runs out.
package struct TimeBudget: Sendable {
    private let limit: Duration?
    private let start = ContinuousClock.now
    private var longest: [TrialIdentity: Duration] = [:]
    private var decisions: [TrialIdentity: Bool] = [:]

    /// - Parameter limit: the time limit of all trials together; `nil` means no limit.
    package init(limit: Duration?) {
        self.limit = limit
    }

    /// Notes how long a trial took.
    package mutating func note(_ place: TrialIdentity, took duration: Duration) {
        longest[place] = max(duration, longest[place] ?? .zero)
    }

    /// Whether a trial is expected to end within the limit. The first trial of all is always run. The first one of a
    /// strategy is judged by others of its scenario, or by what the phases say, and later ones by the longest so far.
    ///
    /// - Parameters:
    ///   - block: the trials of its scenario and repetition.
    ///   - interleaves: whether they take turns, and so end together.
    package mutating func allows(_ entry: RunPlan.Entry, of block: [RunPlan.Entry], interleaves: Bool = false) -> Bool {
        let identity = entry.identity
        guard identity.repetition > 1 || interleaves else { return fits { expected(entry) } }
        if let decision = decisions[identity.block] { return decision }
        let decision = fits { block.reduce(.zero) { $0 + expected($1) } }
        decisions[identity.block] = decision
        return decision
    }

    private func expected(_ entry: RunPlan.Entry) -> Duration {
        longest[entry.place] ?? longest.filter { $0.key.scenario == entry.place.scenario }.values.max()
            ?? entry.scenario.typicalDuration
    }

    /// Whether there is time. An estimate does not stop the first trial: it may be far too long.
    private func fits(_ expected: () -> Duration) -> Bool {
        guard let limit, !longest.isEmpty else { return true }
        return ContinuousClock.now - start + expected() <= limit
    }
}

extension Scenario {
    /// How long a trial of the scenario takes at most, unless the strategy or the machine is much slower than the
    /// origin: the durations of its phases, or the time in which their operations come and would take if every one of them
    /// went to the origin.
    package var expectedDuration: Duration {
        // Every trial reads its trace, at a million requests a second or more.
        let reading = 1_000 * Double(keys.trace?.requestCount ?? 0)
        let nanoseconds = phases.reduce(reading) { total, phase in
            // A picture takes about 25 ns a byte to make and to decode.
            let each =
                1_000_000 + Double(origin.longestLoadNanoseconds) + Double(phase.thinkTime.largest)
                + 25 * Double(values.largestSize)
            switch phase.length {
            case .duration(let nanoseconds):
                return total + Double(nanoseconds) + each
            case .operations(let count):
                return total + arrivalNanoseconds(count, phase) + Double(count) / Double(max(1, phase.clients)) * each
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
                max(
                    total + arrivalNanoseconds(count, phase),
                    total + Double(count) / Double(max(1, phase.clients)) * (each + Double(phase.thinkTime.largest)))
            }
        }
        return .nanoseconds(Int64(min(nanoseconds, 86_400e9)))
    }

    /// The memory that a trial of the scenario takes, roughly, in bytes: its processes, the entries of a full cache, the
    /// trace, and the history of a check.
    package func typicalBytes(of strategy: Strategy) -> Double {
        let keyCount = Double(keys.count)
        let isBounded = !strategy.declaration.bounds.isEmpty
        let entries = isBounded ? min(capacity.entries.map(Double.init) ?? keyCount, keyCount) : keyCount
        let sizes = values.pools?.map(\.size.typical).max() ?? values.size.typical
        let held = min(entries * sizes, isBounded ? capacity.bytes.map(Double.init) ?? .infinity : .infinity)
        // The program, the trial and the server take 60 MB each, an entry 200 bytes besides its value.
        let own = 180e6 + held + kept(sizes) + entries * 200 + Double(keys.trace?.requestCount ?? 0) * 32
        return check ? own + 60e6 : own
    }

    /// The encoded values that the server keeps, in bytes; an encoded one is hardly larger than one of this size.
    private func kept(_ size: Double) -> Double {
        guard origin.kind == .server, values.changes != true else { return 0 }
        return min(Double(keys.count) * size, Double(TemplateBudget.byteCountMaxOfServer))
    }

    /// How long the operations of a phase take to come, in nanoseconds; 0 in a closed loop.
    private func arrivalNanoseconds(_ count: Int, _ phase: Phase) -> Double {
        switch phase.arrival {
        case .closed: return 0
        case .open(let rate, let spacing): return rate.nanoseconds(of: count, spacing)
        case .trace:
            guard let trace = keys.trace, trace.requestCount > 0 else { return 0 }
            // One mean gap lies between two rounds of the trace.
            let gaps = Double(count) / Double(max(1, trace.requestCount - 1))
            return Double(trace.nanoseconds) / trace.speed * gaps
        }
    }
}

/// Decides after each repetition of a scenario which strategies need another one.
package struct RepetitionRule: Sendable {
    /// The strategies of a scenario that need another repetition, from its results so far.
    package typealias Open = @Sendable (_ results: [PhaseResult]) -> Set<String>

    private let open: Open
    private var results: [ScenarioPoint: [PhaseResult]] = [:]
    private var decisions: [TrialIdentity: Set<String>] = [:]

    /// - Parameter earlier: results of an earlier run in the folder.
    package init(earlier: [PhaseResult] = [], open: @escaping Open) {
        self.open = open
        note(earlier)
    }

    /// Notes the results of a trial.
    package mutating func note(_ results: [PhaseResult]) {
        for result in results {
            var slim = result
            // The figures are enough; the rest would pile up in a long run.
            (slim.distributions, slim.timeline) = ([], [])
            self.results[result.trial.key.scenario, default: []].append(slim)
        }
    }

    /// Whether a trial must still run. Every first repetition is run. Only earlier repetitions count, so that a run that
    /// was interrupted within one goes on with the same trials.
    package mutating func wants(_ trial: TrialIdentity) -> Bool {
        guard trial.repetition > 1 else { return true }
        if let wanted = decisions[trial.block] { return wanted.contains(trial.strategy) }
        let earlier = (results[trial.scenario] ?? []).filter { $0.trial.key.repetition < trial.repetition }
        let wanted = open(earlier)
        decisions[trial.block] = wanted
        return wanted.contains(trial.strategy)
    }
}
