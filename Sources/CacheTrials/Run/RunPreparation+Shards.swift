import BuiltInStrategies
import CacheStrategies
import Foundation
import Reports
import Sharding
import TimedStrategies
import TrialModel
import TrialSessions

extension RunPreparation {
    /// The trials to run: those of the shard, or all of the scenarios, strategies and repetitions.
    func plan(_ scenarios: [Scenario], finished: Set<TrialIdentity> = []) -> RunPlan {
        guard let shard else {
            return RunPlan(
                scenarios: scenarios, strategies: strategies(for:),
                repetitions: stability?.repetitionsMax ?? (smoke ? repetitions ?? 1 : repetitions), finished: finished)
        }
        let byName = Dictionary(scenarios.map { ($0.name, $0) }) { first, _ in first }
        return RunPlan(
            shard.trials.filter { !finished.contains($0.identity) }.compactMap { trial in
                guard let scenario = byName[trial.scenario], let registration = StrategyRegistry.current[trial.strategy]
                else { return nil }
                return RunPlan.Entry(identity: trial.identity, scenario: scenario, registration: registration)
            })
    }

    /// When the trials start, where several machines start them together.
    var starts: [TrialIdentity: Date] {
        guard let shard, let startAt else { return [:] }
        let pairs = shard.trials.map { ($0.identity, startAt.addingTimeInterval($0.startSeconds ?? 0)) }
        return Dictionary(pairs) { first, _ in first }
    }
}
