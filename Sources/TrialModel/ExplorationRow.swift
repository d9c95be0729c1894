/// What the schedules of a strategy showed of a promise.
package enum ExplorationVerdict: String, Codable, Hashable, Sendable, CaseIterable {
    /// No schedule broke it.
    case consistent
    /// At least one did.
    case inconsistent
    /// None could have broken it.
    case unknown
    /// The process died in a schedule.
    case crashed
    /// A schedule did not end.
    case hung
}

/// A row of `exploration.csv`: one promise of a strategy under a scenario, all schedules together.
package struct ExplorationRow: Codable, Hashable, Sendable {
    package var scenario: String
    package var strategy: String
    /// What was judged; every caller getting an answer when the process died or a schedule did not end.
    package var promise: Promise
    package var verdict: ExplorationVerdict
    package var schedules: UInt64
    /// Schedules that differ in what a caller or the origin saw, or when.
    package var distinctTraces: UInt64
    package var operationsChecked: UInt64
    /// Schedules that broke the promise.
    package var violations: UInt64
    /// The seed of the first one; `nil` when there is none.
    package var firstSeed: UInt64?
    /// The command that runs that schedule again; empty when there is none.
    package var replayCommand: String
    /// The smallest script that breaks the promise, relative to the result folder; empty when there is none.
    package var scriptFile: String
    /// The seed with which that script breaks it.
    package var scriptSeed: UInt64?
    /// All that happened in all schedules, as 16 hexadecimal digits; empty when the process died.
    package var traceDigest: String
    /// What shows the violation, or why there is no verdict; one line.
    package var example: String

    package init(
        scenario: String, strategy: String, promise: Promise, verdict: ExplorationVerdict, schedules: UInt64 = 0,
        distinctTraces: UInt64 = 0, operationsChecked: UInt64 = 0, violations: UInt64 = 0, firstSeed: UInt64? = nil,
        replayCommand: String = "", scriptFile: String = "", scriptSeed: UInt64? = nil, traceDigest: String = "",
        example: String = ""
    ) {
        self.scenario = scenario
        self.strategy = strategy
        self.promise = promise
        self.verdict = verdict
        self.schedules = schedules
        self.distinctTraces = distinctTraces
        self.operationsChecked = operationsChecked
        self.violations = violations
        self.firstSeed = firstSeed
        self.replayCommand = replayCommand
        self.scriptFile = scriptFile
        self.scriptSeed = scriptSeed
        self.traceDigest = traceDigest
        self.example = example
    }

    /// The same as a row of `consistency.csv`, where a crash and a hang are broken promises.
    package var consistency: ConsistencyRow {
        let verdict: ConsistencyVerdict =
            switch verdict {
            case .consistent: .consistent
            case .inconsistent, .crashed, .hung: .inconsistent
            case .unknown: .unknown
            }
        return ConsistencyRow(
            trial: TrialIdentity(scenario: scenario, strategy: strategy, repetition: 1), promise: promise,
            verdict: verdict, operationsChecked: operationsChecked, violations: violations, example: example)
    }
}
