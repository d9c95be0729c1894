/// What the schedules of a strategy showed of a promise.
package enum ExplorationVerdict: String, Codable, Hashable, Sendable, CaseIterable, CellValue {
    /// No schedule broke it.
    case consistent
    /// At least one did.
    case inconsistent
    /// None could have broken it, or not every order can be chosen.
    case unknown
    /// The process died in a schedule.
    case crashed
    /// A schedule did not end.
    case hung
}

/// A row of `exploration.csv`: one promise of a strategy under a scenario, all schedules together.
package struct ExplorationRow: ResultRow {
    package var scenario: ScenarioPoint
    package var strategy: String
    package var promise: Promise
    package var verdict: ExplorationVerdict
    package var schedules: UInt64 = 0
    package var distinctTraces: UInt64 = 0
    package var carrier = ""
    package var orders = ""
    package var distinctOrders: UInt64 = 0
    /// From 0 to 1; `nil` where orders are drawn.
    package var spaceCovered: Double?
    package var unseen = ""
    package var operationsChecked: UInt64 = 0
    package var violations: UInt64 = 0
    package var firstSeed: UInt64?
    package var replayCommand = ""
    package var scriptFile = ""
    package var scriptSeed: UInt64?
    package var scriptOrders = ""
    /// Empty when the process died.
    package var traceDigest = ""
    /// One line.
    package var example = ""

    package init(scenario: ScenarioPoint, strategy: String, promise: Promise, verdict: ExplorationVerdict) {
        self.scenario = scenario
        self.strategy = strategy
        self.promise = promise
        self.verdict = verdict
    }

    package static let blank = ExplorationRow(scenario: "", strategy: "", promise: .ownValues, verdict: .unknown)

    package static let columns: [Column<ExplorationRow>] =
        [
            Column("scenario", "The scenario's name.", \.scenario.name),
            Column("strategy", "The strategy's name.", \.strategy),
            Column("promise", "What was judged; `no-lost-caller` for a crash and a hang.", \.promise),
            Column("verdict", "`consistent`, `inconsistent`, `unknown`, `crashed` or `hung`.", \.verdict),
            Column("schedules", "Schedules that were run.", \.schedules),
            Column(
                "distinct_traces", "Schedules that differ in what a caller or the origin saw, or when.",
                \.distinctTraces),
            Column(
                "operations_checked", "Operations that could have broken the promise; those of equal traces once.",
                \.operationsChecked),
            Column("violations", "Schedules that broke the promise; those of equal traces once.", \.violations),
            Column("first_seed", "The seed of the first schedule that broke it.", \.firstSeed),
            Column("replay_command", "The command that runs that schedule again.", \.replayCommand),
            Column(
                "script_file", "The smallest script that breaks the promise, relative to the result folder.",
                \.scriptFile),
            Column("script_seed", "The seed with which that script breaks it.", \.scriptSeed),
            Column("script_orders", "How the order of that seed is chosen, if not as `orders` says.", \.scriptOrders),
            Column("trace_digest", "All that happened in all schedules, as 16 hexadecimal digits.", \.traceDigest),
            Column("example", "What shows the violation, or why there is no verdict.", \.example),
            Column("carrier", "What was put in order: `tasks` or `threads`.", \.carrier),
            Column("orders", "How orders were chosen: `random`, `pct`, both in turn, or `preemptions`.", \.orders),
            Column("distinct_orders", "Schedules that differ in the order of jobs or of steps.", \.distinctOrders),
            .decimal(
                "space_covered", type: .ratio, places: 6, in: 0...1.000001,
                "The share of all orders with two preemptions that was run; of `preemptions` only.", \.spaceCovered),
            Column("unseen", "What could not be put in order; with it, no promise is `consistent`.", \.unseen),
        ] + Column.swept(\.scenario)

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
