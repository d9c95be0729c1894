import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import Foundation
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// A requested run: its scenarios, its strategies, and the changes to them.
struct RunRequest {
    let files: [ScenarioArguments.File]
    let chosen: [Strategy]?
    var smoke = false
    var check = false
    var seed: UInt64?
    var repetitions: Int?
    var search: RateSearchSettings?
    /// When repetitions are enough; `nil` for a fixed number.
    var stability: RunDescription.Stability?
    /// Whether the strategies of a scenario take turns of some milliseconds.
    var interleaves = false
    /// Whether instructions are counted instead of time.
    var isCounted = false
    /// The part to run; `nil` for everything.
    var shard: Shard?

    /// A scenario as it is run.
    func prepared(_ scenario: Scenario) -> Scenario {
        var prepared = smoke ? scenario.smoke() : scenario
        if let seed { prepared.seed = seed }
        if check { prepared.check = true }
        if prepared.check { prepared = prepared.checkable() }
        return isCounted ? prepared.counted() : prepared
    }

    /// The scenarios as a search needs them; `nil` when there is none.
    func searchedScenarios() throws(RateSearchError) -> [SearchedScenario]? {
        guard let search else { return nil }
        var searched: [SearchedScenario] = []
        for file in files { searched.append(try SearchedScenario(prepared(file.scenario), search)) }
        return searched
    }

    /// The strategies that a scenario is run against.
    func strategies(for scenario: Scenario) -> [Strategy] { ApplicableStrategies(chosen: chosen).of(scenario) }

    /// All trials of the scenarios, strategies and repetitions, on however many machines.
    func plan(_ scenarios: [Scenario]) -> RunPlan {
        RunPlan(
            scenarios: scenarios, strategies: strategies(for:),
            repetitions: stability?.repetitionsMax ?? (smoke ? repetitions ?? 1 : repetitions))
    }

    /// All trials of the prepared scenarios.
    func plan() -> RunPlan { plan(files.map { prepared($0.scenario) }) }

    /// This machine's part of a plan; `nil` where one machine runs everything.
    ///
    /// All strategies of a scenario in one repetition are in one part, so that differences between strategies are never
    /// differences between machines; all repetitions are, where they take turns or end when figures are stable.
    ///
    /// - Throws: ``Refusal``, and an error when a file can no longer be read.
    func part(of plan: RunPlan) throws -> RunDescription.Shard? {
        guard let shard else { return nil }
        let seconds = Dictionary(plan.entries.map { ($0.identity, $0.scenario.expectedDuration / .seconds(1)) }) {
            first, _ in first
        }
        let isWhole = interleaves || stability != nil
        var digests = [
            "\(CacheTrialsCommand.version), \(smoke), \(check), \(interleaves), \(seed.map(String.init) ?? "")",
            stability.map { "\($0.within), \($0.repetitionsMax)" } ?? "",
        ]
        for file in files {
            digests.append(try file.digest())
            if let trace = file.scenario.keys.trace { digests.append(try FileDigest.sha256(ofFile: trace.path)) }
        }
        return try shard.part(of: plan.entries.map(\.identity), digests: digests) {
            isWhole ? "\($0.scenario)" : "\($0.scenario), repetition \($0.repetition)"
        } seconds: {
            seconds[$0] ?? 0
        }
    }
}

/// The strategies that run under a scenario: those of the command line, else those that the scenario names, else all
/// sound ones and the bounds. Strategies that can't run under it are left out.
struct ApplicableStrategies {
    /// The strategies of the command line; `nil` when it names none.
    let chosen: [Strategy]?

    /// The strategies of a scenario, in the order in which they were named.
    func of(_ scenario: Scenario) -> [Strategy] {
        named(by: scenario).filter { Self.obstacle(to: $0, under: scenario) == nil }
    }

    private func named(by scenario: Scenario) -> [Strategy] {
        let registry = StrategyRegistry.current
        let named = chosen ?? scenario.strategies?.compactMap { registry[$0] } ?? registry.defaults
        guard scenario.isSwept else { return named }
        // A curve is read against its bounds: no cache, a cache without limits, and the harness alone.
        let names = Set(named.map(\.declaration.name))
        // The ceiling returns no values, so there is nothing to check.
        let bounds = ["none", "unbounded"] + (scenario.check ? [] : ["ceiling"])
        return named + bounds.filter { !names.contains($0) }.compactMap { registry[$0] }
    }

    /// Why a strategy can't be run under a scenario; `nil` when it can.
    private static func obstacle(to strategy: Strategy, under scenario: Scenario) -> String? {
        let kind = scenario.keys.kind
        if !strategy.takes(kind) { return "for lack of a type for \(kind.rawValue) keys" }
        let smallest = strategy.declaration.promises.limitRules.smallest
        guard let limit = scenario.capacity.entries, limit < smallest else { return nil }
        return "because a limit of \(limit) entries is below its smallest limit, \(smallest)"
    }

    /// Reports on standard error what is left out, and what the harness adds.
    ///
    /// - Throws: ``Refusal`` when nothing is left.
    func noteLeftOut(of scenarios: [Scenario]) throws(Refusal) {
        var guarded: [String] = []
        for scenario in scenarios {
            var reasons: [(reason: String, names: [String])] = []
            for strategy in named(by: scenario) {
                let name = strategy.declaration.name
                guard let reason = Self.obstacle(to: strategy, under: scenario) else {
                    if strategy.declaration.callers == .one, !guarded.contains(name) { guarded.append(name) }
                    continue
                }
                if let index = reasons.firstIndex(where: { $0.reason == reason }) {
                    reasons[index].names.append(name)
                } else {
                    reasons.append((reason, [name]))
                }
            }
            for (reason, names) in reasons {
                StandardError.write("Left out of \(scenario.point), \(reason): \(names.joined(separator: ", "))")
            }
        }
        if !guarded.isEmpty {
            StandardError.write(
                "One caller at a time, so the harness puts a lock around it and times both: "
                    + guarded.joined(separator: ", "))
        }
        guard scenarios.contains(where: { !of($0).isEmpty }) else {
            throw Refusal("no strategy can be run under these scenarios; name others with --strategies", .usage)
        }
    }
}
