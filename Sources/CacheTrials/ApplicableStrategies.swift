import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import TimedStrategies
import TrialModel
import TrialSessions

/// The strategies that a scenario is run against: those of the command line, else those that the scenario names, else all
/// that are sound, and the bounds; without those that have no type for the scenario's keys.
struct ApplicableStrategies {
    /// The strategies of the command line; `nil` where it names none.
    let chosen: [Strategy]?

    /// In the order in which they were named.
    func of(_ scenario: Scenario) -> [Strategy] {
        named(by: scenario).filter { $0.takes(scenario.keys.kind) }
    }

    private func named(by scenario: Scenario) -> [Strategy] {
        let registry = StrategyRegistry.current
        return chosen ?? scenario.strategies?.compactMap { registry[$0] } ?? registry.defaults
    }

    /// Says on standard error what is left out.
    ///
    /// - Throws: exit code 64 when nothing is left.
    func noteLeftOut(of scenarios: [Scenario]) throws(ExitCode) {
        for scenario in scenarios {
            let kind = scenario.keys.kind
            let names = named(by: scenario).filter { !$0.takes(kind) }.map(\.declaration.name)
            guard !names.isEmpty else { continue }
            StandardError.write(
                "Left out of \(scenario.name), for want of a type for \(kind.rawValue) keys: "
                    + names.joined(separator: ", "))
        }
        guard scenarios.contains(where: { !of($0).isEmpty }) else {
            StandardError.error("no strategy takes the keys of these scenarios; name others with --strategies")
            throw ExitCode(TrialExitCode.usage.rawValue)
        }
    }
}
