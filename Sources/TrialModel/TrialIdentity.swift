/// A trial: one strategy under one scenario, once.
package struct TrialIdentity: Codable, Hashable, Sendable {
    /// The scenario, or the point of its sweep.
    package var scenario: ScenarioPoint
    /// The strategy's name.
    package var strategy: String
    /// The number of the repetition, from 1.
    package var repetition: Int

    package init(scenario: ScenarioPoint, strategy: String, repetition: Int) {
        (self.scenario, self.strategy, self.repetition) = (scenario, strategy, repetition)
    }

    /// The identity of a search, which has the same scenario and strategy in all its trials: repetition 1.
    package var search: TrialIdentity { TrialIdentity(scenario: scenario, strategy: strategy, repetition: 1) }
}

/// How a phase of a trial ended.
package enum TrialStatus: String, Codable, Hashable, Sendable, CaseIterable {
    /// The phase ran completely.
    case completed
    /// The trial's process died.
    case crashed
    /// The trial did not end before its deadline.
    case hung
    /// The phase ran, but its figures cannot be trusted; the reason says why.
    case invalid
    /// The phase was interrupted.
    case partial
}
