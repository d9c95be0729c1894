package import TrialModel

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
            (slim.distributions, slim.timeline, slim.hitRates) = ([], [], result.hitRate.list)
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
