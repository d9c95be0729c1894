import TimedStrategies
import TrialLoop
import TrialModel

/// Runs trials of one scenario in turns, and those by themselves of which turns would not be true.
struct Interleaving {
    /// A trial of a round.
    struct Side {
        /// Which of the hosts starts it.
        var host = 0
        var entry: RunPlan.Entry
    }

    private struct Place: Hashable {
        var scenario: String
        var strategy: String

        init(_ entry: RunPlan.Entry) {
            scenario = entry.identity.scenario
            strategy = entry.identity.strategy
        }
    }

    /// One for each program.
    var hosts: [TrialHost]
    /// Strategies that turned out to work outside of their turns, and how much.
    private var busy: [Place: String] = [:]

    /// The share of the processor time of its turns that a trial may use between them.
    private static let shareOutsideMax = 0.01

    init(hosts: [TrialHost]) {
        self.hosts = hosts
    }

    /// Why a trial runs by itself; `nil` where it takes turns.
    func reason(against entry: RunPlan.Entry) -> String? {
        entry.scenario.reasonAgainstTurns ?? entry.registration.reasonAgainstTurns ?? busy[Place(entry)]
    }

    /// Runs the sides of a round.
    ///
    /// - Returns: what each left behind, in their order. Rows of a trial that ran by itself say why.
    mutating func run(_ sides: [Side]) async throws -> [TrialProcess.Outcome] {
        var outcomes: [TrialProcess.Outcome?] = Array(repeating: nil, count: sides.count)
        let together = sides.indices.filter { reason(against: sides[$0].entry) == nil }
        if together.count > 1 {
            for (index, outcome) in zip(together, try await runTogetherTwiceIfBusy(together.map { sides[$0] })) {
                outcomes[index] = outcome
            }
        }
        for index in sides.indices {
            let side = sides[index]
            let reason = reason(against: side.entry)
            if let outcome = outcomes[index] {
                await hosts[side.host].note(outcome)
                if reason == nil { continue }
            }
            var outcome = try await hosts[side.host].run(side.entry.identity, side.entry.scenario)
            for index in outcome.results.indices where outcome.results[index].trial.reason.isEmpty {
                outcome.results[index].trial.reason = "by itself: \(reason ?? "nothing else takes turns")"
            }
            outcomes[index] = outcome
        }
        return outcomes.compactMap(\.self)
    }

    /// Runs trials in turns, and once more where one of them worked between its turns: on a busy machine that may be its
    /// threads going to sleep. Those that do so both times are known for it from then on.
    private mutating func runTogetherTwiceIfBusy(_ sides: [Side]) async throws -> [TrialProcess.Outcome] {
        let first = try await runTogether(sides)
        guard first.contains(where: { $0.shareBetweenTurns > Self.shareOutsideMax }) else { return first }
        let second = try await runTogether(sides)
        for (side, shares) in zip(sides, zip(first, second).map({ min($0.shareBetweenTurns, $1.shareBetweenTurns) }))
        where shares > Self.shareOutsideMax {
            let percent = max(1, Int(min(shares, 100) * 100))
            busy[Place(side.entry)] = "it used \(percent) % of its processor time between its turns"
        }
        return second
    }

    private mutating func runTogether(_ sides: [Side]) async throws -> [TrialProcess.Outcome] {
        var trials: [TurnTakingTrial] = []
        do {
            for side in sides {
                trials.append(
                    try await hosts[side.host].start(
                        side.entry.identity, side.entry.scenario,
                        turns: side.entry.scenario.turns(inRound: side.entry.identity.repetition)))
            }
        } catch {
            for trial in trials { await trial.stop() }
            throw error
        }
        let first = sides[0].entry
        return try await Round.run(trials, seed: first.scenario.seed &+ UInt64(clamping: first.identity.repetition))
    }
}

extension TrialProcess.Outcome {
    /// The largest share of processor time, of all phases, that was used between turns.
    fileprivate var shareBetweenTurns: Double { results.compactMap(\.shareOutsideTurns).max() ?? 0 }
}
