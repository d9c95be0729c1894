package import TimedStrategies
package import TrialModel

/// A scenario, its file, and the strategies that a session judges under it.
package struct SessionSubject: Sendable {
    package var scenario: Scenario
    package var path: String
    package var strategies: [Strategy]

    package init(scenario: Scenario, path: String, strategies: [Strategy]) {
        self.scenario = scenario
        self.path = path
        self.strategies = strategies
    }
}
