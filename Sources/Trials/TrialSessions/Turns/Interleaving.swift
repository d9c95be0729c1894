package import CacheStrategies
import TimedStrategies
import TrialLoop
package import TrialModel

extension TrialRunner {
    /// The largest share of its processor time that a trial may use between its turns.
    private static let shareOutsideMax = 0.01

    /// Why a trial runs alone; `nil` when it takes turns.
    private func reason(against entry: RunPlan.Entry) -> String? {
        entry.reasonAgainstTurns ?? busy[entry.place]
    }

    /// Runs trials of one scenario in turns; trials that turns would distort run alone.
    ///
    /// - Returns: the result of each trial, in their order. Rows of a trial that ran alone say why.
    mutating func interleave(_ entries: [RunPlan.Entry]) async throws -> [TrialOutcome] {
        var outcomes: [TrialOutcome?] = Array(repeating: nil, count: entries.count)
        var reasons = entries.map { entry in
            let writesFiles = entry.registration.declaration.promises.durability != .none
            // Both sides of a comparison do it alike.
            return reason(against: entry)
                ?? (writesFiles && entries.count > 2 ? "it writes files between its slices" : nil)
        }
        let together = entries.indices.filter { reasons[$0] == nil }
        if together.count > 1 {
            let found = try await runTogetherAgainIfBusy(together.map { entries[$0] })
            for (index, (outcome, reason)) in zip(together, found) {
                (outcomes[index], reasons[index]) = (outcome, reason)
            }
        }
        for (index, entry) in entries.enumerated() {
            if let outcome = outcomes[index] {
                await hosts[entry.program].note(outcome)
                // Two programs get longer phases instead.
                if reasons[index] == nil, hosts.count == 1, outcome.isTooShort {
                    (reasons[index], busy[entry.place]) = (TrialRow.shortMark, TrialRow.shortMark)
                }
                if reasons[index] == nil {
                    outcomes[index]?.noteShortPhases()
                    continue
                }
            }
            var outcome = try await run(entry)
            outcome.isAlone = true
            for row in outcome.results.indices {
                outcome.results[row].trial.add(
                    TrialRow.aloneMark + (reasons[index] ?? "nothing else alternates with it"))
            }
            outcomes[index] = outcome
        }
        return outcomes.compactMap(\.self)
    }

    /// Runs trials in turns.
    ///
    /// A strategy that works between its turns has to run alone. On a busy machine the cause may be its threads going to
    /// sleep. So two sides of a comparison run once more, and one of many strategies runs alone in this round. A
    /// strategy that was found twice runs alone from then on.
    ///
    /// - Returns: the result of each trial, and why it has to run alone, if it has.
    private mutating func runTogetherAgainIfBusy(
        _ entries: [RunPlan.Entry]
    ) async throws -> [(TrialOutcome, reason: String?)] {
        var outcomes = try await runTogether(entries)
        var shares = outcomes.map(\.shareBetweenTurns)
        if entries.count == 2, shares.contains(where: { $0 > Self.shareOutsideMax }) {
            outcomes = try await runTogether(entries)
            shares = zip(shares, outcomes.map(\.shareBetweenTurns)).map(min)
            for (entry, share) in zip(entries, shares) where share > Self.shareOutsideMax {
                suspected.insert(entry.place)
            }
        }
        return zip(entries, zip(outcomes, shares)).map { entry, found in
            let (outcome, share) = found
            guard share > Self.shareOutsideMax else { return (outcome, nil) }
            let percent = max(1, Int(min(share, 100) * 100))
            let reason = "it used \(percent) % of its processor time between its slices"
            if !suspected.insert(entry.place).inserted { busy[entry.place] = reason }
            return (outcome, reason)
        }
    }

    private mutating func runTogether(_ entries: [RunPlan.Entry]) async throws -> [TrialOutcome] {
        var trials: [TurnTakingTrial] = []
        do {
            for entry in entries {
                trials.append(try await hosts[entry.program].start(entry))
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

extension TrialOutcome {
    /// Says which measured phases have no slice: they were over before the first one was.
    fileprivate mutating func noteShortPhases() {
        for index in results.indices
        where results[index].trial.status == .completed && results[index].hitRate != nil
            && results[index].slices.isEmpty
        {
            results[index].trial.add(TrialRow.shortMark)
        }
    }

    /// Whether every measured phase was over before its first slice, so that turns measure nothing.
    fileprivate var isTooShort: Bool {
        let measured = results.filter { $0.hitRate != nil }
        return !measured.isEmpty && measured.allSatisfy { $0.trial.status == .completed && $0.slices.isEmpty }
    }

    /// The largest share of processor time, of all phases, that was used between turns.
    fileprivate var shareBetweenTurns: Double { results.compactMap(\.shareOutsideTurns).max() ?? 0 }
}

/// Trials of one scenario that take turns from start to end.
enum Round {
    /// Lets the trials take turns, in an order that changes with every slice.
    ///
    /// A trial that is a phase ahead waits for the others. A crash or hang of one does not affect the others.
    ///
    /// - Parameters:
    ///   - trials: trials that wait for their first turn.
    ///   - seed: the seed of the orders.
    /// - Returns: the result of each trial, in their order.
    static func run(_ trials: [TurnTakingTrial], seed: UInt64) async throws -> [TrialOutcome] {
        var trials = trials
        var random = RandomSource(seed: seed, stream: UInt64(trials.count))
        var order = Array(trials.indices)
        do {
            while let phase = trials.compactMap(\.phase).min() {
                random.shuffle(&order)
                for index in order where trials[index].phase == phase {
                    try Task.checkCancellation()
                    try await trials[index].takeTurn()
                }
            }
            return try trials.map { trial in
                guard let outcome = trial.outcome else { throw CancellationError() }
                return outcome
            }
        } catch {
            for trial in trials { await trial.stop() }
            throw error
        }
    }
}

extension Scenario {
    /// The turns of the scenario's trials: of a few milliseconds, and long enough for twenty of the slowest loads.
    ///
    /// - Parameter round: the round; each one uses other cores than the one before.
    func turns(inRound round: Int) -> TurnSettings {
        TurnSettings(
            slice: max(TurnSettings().slice, min(origin.slowestNanoseconds, Self.sliceNanosecondsMax / 20) * 20),
            core: round)
    }
}

extension StrategyDeclaration {
    /// Why trials of the strategy under a scenario can't take turns, if they can't. The clock of the configuration has
    /// no time between turns, and so entries don't expire there.
    package func reasonAgainstTurns(under scenario: Scenario) -> String? {
        if reach == .manyMachines { return "its entries are in a server, which does not pause between slices" }
        if scenario.values.haveLifetimes, promises.timeToLive.clock == .system {
            return "its entries expire by a clock that goes on during the slices of others"
        }
        return scenario.reasonAgainstTurns
    }
}
