package import CacheStrategies
package import HistoryChecking
package import TimedStrategies
package import TrialModel

/// Everything that the process of a trial needs to know; one line of JSON on its standard input.
package struct TrialSpecification: Codable, Sendable {
    package var identity: TrialIdentity
    package var scenario: Scenario
    /// What the trial is for.
    package var purpose: TrialPurpose
    /// The fixture server's address; `nil` when the origin is in memory.
    package var originAddress: String?
    /// A folder for strategies that keep files; empty when the trial starts.
    package var directory: String
    /// Tells trials of one identity apart, where a search for a rate has several; `nil` where there is one.
    package var step: Int?
    /// Servers that run already, for strategies that would start their own otherwise.
    package var servers: CacheServers?
    /// How it takes turns with other processes; `nil` where it runs from its start to its end.
    package var turns: TurnSettings?
    /// What the kernel counts, where its counter is used; `nil` where Callgrind counts, or nobody.
    package var counterEvent: CounterEvent?

    package init(
        identity: TrialIdentity, scenario: Scenario, purpose: TrialPurpose = .times, originAddress: String?,
        directory: String, step: Int? = nil, servers: CacheServers? = nil, turns: TurnSettings? = nil,
        counterEvent: CounterEvent? = nil
    ) {
        self.identity = identity
        self.scenario = scenario
        self.purpose = purpose
        self.originAddress = originAddress
        self.directory = directory
        self.step = step
        self.servers = servers
        self.turns = turns
        self.counterEvent = counterEvent
    }

    /// Unique in the run; the fixture server keeps its log under it. A plus stands for a blank in
    /// addresses, and no strategy's name has an underscore.
    var trialName: String {
        let strategy = identity.strategy.replacing("+", with: "_")
        return "\(identity.scenario).\(strategy).\(identity.repetition)" + (step.map { ".\($0)" } ?? "")
    }
}

/// What a trial is for.
package enum TrialPurpose: String, Codable, Sendable {
    /// To be measured.
    case times
    /// To show data races to a sanitizer: nothing but the strategy may put its callers in an order. The origin keeps no
    /// log, and every client has a thread, also where the strategy suspends.
    case races
    /// To have its instructions counted, see ``OpenStrategy/counted(beside:by:)``.
    case counts
}

/// What the process of a trial says as it goes; a line of JSON each.
package enum TrialMessage: Codable, Sendable {
    /// It waits for its turn, before a phase or within it. The first message of a trial that takes turns; the version is
    /// ``TurnSettings/version``.
    case waiting(version: Int, phase: Int)
    /// A phase begins.
    case phaseStarted(name: String, driver: Driver)
    /// A phase has ended.
    case phaseFinished(PhaseResult)
    /// All phases have ended, and what the clients wrote down is judged.
    case judging
    /// What that says of the strategy's promises.
    case judged([PromiseFinding])
    /// The strategy could not go on.
    case strategyFailed(String)
    /// The trial could not go on, for a reason that is not the strategy's.
    case trouble(String)
    /// All phases have ended.
    case finished
}
