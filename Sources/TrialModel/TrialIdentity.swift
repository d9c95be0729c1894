/// One strategy under one scenario, once.
package struct TrialIdentity: Codable, Hashable, Sendable {
    /// The scenario, or the point of its sweep.
    package var scenario: ScenarioPoint
    /// The strategy's name.
    package var strategy: String
    /// From 1.
    package var repetition: Int

    package init(scenario: ScenarioPoint, strategy: String, repetition: Int) {
        self.scenario = scenario
        self.strategy = strategy
        self.repetition = repetition
    }

    /// The same whatever the repetition: what names a search, whose trials share scenario and strategy.
    package var search: TrialIdentity { TrialIdentity(scenario: scenario, strategy: strategy, repetition: 1) }
}

/// How a phase of a trial ended.
package enum TrialStatus: String, Codable, Hashable, Sendable, CaseIterable {
    /// All of it ran.
    case completed
    /// The trial's process died.
    case crashed
    /// The trial did not end before its deadline.
    case hung
    /// It ran, but its figures can't be trusted; the reason says why.
    case invalid
    /// It was interrupted.
    case partial
}
