import BuiltInStrategies
import CacheStrategies
import Foundation
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// A requested run: its scenarios, its strategies, and the changes to them. A plan cuts it into shards, a run carries
/// it out.
struct RunRequest {
    let files: [ScenarioArguments.File]
    let chosen: [Strategy]?
    var options = Shard.Options()
    /// When repetitions are enough; `nil` for a fixed number.
    var stability: RunDescription.Stability?
    /// Whether instructions are counted instead of time.
    var isCounted = false
    /// The part of a plan to run; `nil` for everything.
    var shard: Shard?

    /// A scenario as it is run.
    func prepared(_ scenario: Scenario) -> Scenario {
        var prepared = options.smoke ? scenario.smoke() : scenario
        if let seed = options.seed { prepared.seed = seed }
        if options.check { prepared.check = true }
        if prepared.check { prepared = prepared.checkable() }
        if isCounted { prepared = prepared.counted() }
        guard let generator = shard?.generator else { return prepared }
        return prepared.share(ofGenerator: generator.number, of: generator.count)
    }

    /// The scenarios as a search needs them; `nil` when there is none.
    func searchedScenarios() throws(RateSearchError) -> [SearchedScenario]? {
        guard let search = options.search else { return nil }
        var searched: [SearchedScenario] = []
        for file in files { searched.append(try SearchedScenario(prepared(file.scenario), search)) }
        return searched
    }

    /// The strategies that a scenario is run against.
    func strategies(for scenario: Scenario) -> [Strategy] {
        guard let shard else { return ApplicableStrategies(chosen: chosen).of(scenario) }
        let names = Set(shard.trials.filter { $0.scenario == scenario.point }.map(\.strategy))
        return StrategyRegistry.current.ordered(names).compactMap { StrategyRegistry.current[$0] }
    }

    /// The trials to run: those of the shard, or all of the scenarios, strategies and repetitions.
    func plan(_ scenarios: [Scenario], finished: Set<TrialIdentity> = []) -> RunPlan {
        guard let shard else {
            let (repetitions, smoke) = (options.repetitions, options.smoke)
            return RunPlan(
                scenarios: scenarios, strategies: strategies(for:),
                repetitions: stability?.repetitionsMax ?? (smoke ? repetitions ?? 1 : repetitions), finished: finished)
        }
        let byPoint = Dictionary(scenarios.map { ($0.point, $0) }) { first, _ in first }
        return RunPlan(
            shard.trials.filter { !finished.contains($0.identity) }.compactMap { trial in
                guard let scenario = byPoint[trial.scenario],
                    let registration = StrategyRegistry.current[trial.strategy]
                else { return nil }
                return RunPlan.Entry(identity: trial.identity, scenario: scenario, registration: registration)
            })
    }
}
