import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import TimedStrategies
import TrialModel
import TrialSessions

/// The strategies that a scenario is run against: those of the command line, else those that the scenario names, else all
/// that are sound, and the bounds; without those that can't be run under it.
struct ApplicableStrategies {
    /// The strategies of the command line; `nil` where it names none.
    let chosen: [Strategy]?

    /// In the order in which they were named.
    func of(_ scenario: Scenario) -> [Strategy] {
        named(by: scenario).filter { Self.obstacle(to: $0, under: scenario) == nil }
    }

    private func named(by scenario: Scenario) -> [Strategy] {
        let registry = StrategyRegistry.current
        let named = chosen ?? scenario.strategies?.compactMap { registry[$0] } ?? registry.defaults
        guard scenario.isSwept else { return named }
        // A curve says little without what no cache, a cache without limits and the harness alone come to.
        let names = Set(named.map(\.declaration.name))
        // The ceiling gives no values, so that there is nothing to check.
        let bounds = ["none", "unbounded"] + (scenario.check ? [] : ["ceiling"])
        return named + bounds.filter { !names.contains($0) }.compactMap { registry[$0] }
    }

    /// Why a strategy can't be run under a scenario; `nil` when it can.
    private static func obstacle(to strategy: Strategy, under scenario: Scenario) -> String? {
        let kind = scenario.keys.kind
        if !strategy.takes(kind) { return "for want of a type for \(kind.rawValue) keys" }
        let smallest = strategy.declaration.promises.limitRules.smallest
        guard let limit = scenario.capacity.entries, limit < smallest else { return nil }
        return "because a limit of \(limit) entries is below the smallest it takes, \(smallest)"
    }

    /// Says on standard error what is left out, and what the harness adds.
    ///
    /// - Throws: exit code 64 when nothing is left.
    func noteLeftOut(of scenarios: [Scenario]) throws(ExitCode) {
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
                "For one caller at a time, so that a lock is put around it and timed with it: "
                    + guarded.joined(separator: ", "))
        }
        guard scenarios.contains(where: { !of($0).isEmpty }) else {
            StandardError.error("no strategy can be run under these scenarios; name others with --strategies")
            throw ExitCode(TrialExitCode.usage.rawValue)
        }
    }
}
