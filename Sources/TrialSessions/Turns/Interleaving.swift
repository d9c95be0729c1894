import TimedStrategies
import TrialLoop
import TrialModel

/// Runs trials of one scenario in turns; trials that turns would distort run alone.
struct Interleaving {
    /// One host for each program.
    var hosts: [TrialHost]
    /// Strategies that worked outside of their turns, and how much.
    private var busy: [RunPlan.Place: String] = [:]

    /// The largest share of its processor time that a trial may use between its turns.
    private static let shareOutsideMax = 0.01

    init(hosts: [TrialHost]) {
        self.hosts = hosts
    }

    /// Why a trial runs alone; `nil` when it takes turns.
    func reason(against entry: RunPlan.Entry) -> String? {
        entry.reasonAgainstTurns ?? busy[entry.place]
    }

    /// Runs the trials of a round.
    ///
    /// - Returns: the result of each trial, in their order. Rows of a trial that ran alone say why.
    mutating func run(_ entries: [RunPlan.Entry]) async throws -> [TrialProcess.Outcome] {
        var outcomes: [TrialProcess.Outcome?] = Array(repeating: nil, count: entries.count)
        let together = entries.indices.filter { reason(against: entries[$0]) == nil }
        if together.count > 1 {
            for (index, outcome) in zip(together, try await runTogetherTwiceIfBusy(together.map { entries[$0] })) {
                outcomes[index] = outcome
            }
        }
        for (index, entry) in entries.enumerated() {
            let reason = reason(against: entry)
            if let outcome = outcomes[index] {
                await hosts[entry.program].note(outcome)
                if reason == nil {
                    outcomes[index]?.noteShortPhases()
                    continue
                }
            }
            var outcome = try await hosts[entry.program].run(entry.identity, entry.scenario)
            outcome.isAlone = true
            for index in outcome.results.indices {
                outcome.results[index].trial.add(TrialRow.aloneMark + (reason ?? "nothing else takes turns"))
            }
            outcomes[index] = outcome
        }
        return outcomes.compactMap(\.self)
    }

    /// Runs trials in turns, and once more when one of them worked between its turns: on a busy machine the cause may
    /// be its threads going to sleep. A strategy that does so both times runs alone from then on.
    private mutating func runTogetherTwiceIfBusy(_ entries: [RunPlan.Entry]) async throws -> [TrialProcess.Outcome] {
        let first = try await runTogether(entries)
        guard first.contains(where: { $0.shareBetweenTurns > Self.shareOutsideMax }) else { return first }
        let second = try await runTogether(entries)
        for (entry, shares) in zip(entries, zip(first, second).map({ min($0.shareBetweenTurns, $1.shareBetweenTurns) }))
        where shares > Self.shareOutsideMax {
            let percent = max(1, Int(min(shares, 100) * 100))
            busy[entry.place] = "it used \(percent) % of its processor time between its turns"
        }
        return second
    }

    private mutating func runTogether(_ entries: [RunPlan.Entry]) async throws -> [TrialProcess.Outcome] {
        var trials: [TurnTakingTrial] = []
        do {
            for entry in entries {
                trials.append(
                    try await hosts[entry.program].start(
                        entry.identity, entry.scenario,
                        turns: entry.scenario.turns(inRound: entry.identity.repetition)))
            }
        } catch {
            for trial in trials { await trial.stop() }
            throw error
        }
        let first = entries[0]
        return try await Round.run(trials, seed: first.scenario.seed &+ UInt64(clamping: first.identity.repetition))
    }
}

extension RunPlan.Entry {
    /// Why the trial can't take turns, if it can't.
    var reasonAgainstTurns: String? { registration.declaration.reasonAgainstTurns(under: scenario) }
}

extension TrialRow {
    /// Adds a reason to those that the row has.
    fileprivate mutating func add(_ reason: String) {
        self.reason += (self.reason.isEmpty ? "" : "; ") + reason
    }
}

extension TrialProcess.Outcome {
    /// Says which measured phases have no slice: they were over before the first one was.
    fileprivate mutating func noteShortPhases() {
        for index in results.indices
        where results[index].trial.status == .completed && results[index].hitRate != nil
            && results[index].slices.isEmpty
        {
            results[index].trial.add(TrialRow.shortMark)
        }
    }

    /// The largest share of processor time, of all phases, that was used between turns.
    fileprivate var shareBetweenTurns: Double { results.compactMap(\.shareOutsideTurns).max() ?? 0 }
}
