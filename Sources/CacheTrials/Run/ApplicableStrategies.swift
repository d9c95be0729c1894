import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import TimedStrategies
import TrialModel
import TrialSessions

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
                "One caller at a time, so the harness puts a lock around it and times both: "
                    + guarded.joined(separator: ", "))
        }
        guard scenarios.contains(where: { !of($0).isEmpty }) else {
            StandardError.error("no strategy can be run under these scenarios; name others with --strategies")
            throw ExitCode(TrialExitCode.usage.rawValue)
        }
    }
}
