/// The verdict of all schedules on one promise of a strategy.
package enum ExplorationVerdict: String, Sendable, CaseIterable, CellValue {
    /// No schedule broke the promise.
    case consistent
    /// At least one schedule broke the promise.
    case inconsistent
    /// No schedule could have broken the promise, or something took part that could not be scheduled.
    case unknown
    /// The process died in a schedule.
    case crashed
    /// A schedule did not end.
    case hung
    /// The strategy could not be explored.
    case failed
}

/// A row of `exploration.csv`: one promise of a strategy under a scenario, over all schedules.
package struct ExplorationRow: ResultRow {
    package static let file = "exploration.csv"

    package var scenario: ScenarioPoint = ""
    package var strategy = ""
    package var promise = Promise.ownValues
    package var verdict = ExplorationVerdict.unknown
    package var schedules: UInt64 = 0
    package var distinctTraces: UInt64 = 0
    package var carrier = ""
    package var orders = ""
    package var distinctOrders: UInt64 = 0
    /// From 0 to 1; `nil` when orders are drawn at random.
    package var spaceCovered: Double?
    package var unseen = ""
    package var switchedAt = ""
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

    package init() {}

    /// Ends ``switchedAt`` in a program whose atomics are not compiled for explorations.
    package static let withoutAtomics = " (not at atomics or Mutex)"

    package static let columns: [Column<ExplorationRow>] =
        [
            Column("scenario", "The scenario's name.", \.scenario.name),
            Column("strategy", "The strategy's name.", \.strategy),
            Column(
                "promise", "The guarantee that was judged; `no-lost-caller` for a crash, a hang and a failure.",
                \.promise
            ),
            Column("verdict", "`consistent`, `inconsistent`, `unknown`, `crashed`, `hung` or `failed`.", \.verdict),
            Column("schedules", "Interleavings that were run.", \.schedules),
            Column(
                "distinct_traces",
                "Interleavings that differ in what a caller or the origin observed, or in its order; those of merged shards are added up.",
                \.distinctTraces),
            Column(
                "operations_checked", "Operations that could have violated the guarantee; equal traces count once.",
                \.operationsChecked),
            Column("violations", "Interleavings that violated the guarantee; equal traces count once.", \.violations),
            Column("first_seed", "The seed of the first interleaving that violated it.", \.firstSeed),
            Column("replay_command", "The command that runs that interleaving again.", \.replayCommand),
            Column(
                "script_file", "The smallest script that violates the guarantee, relative to the result folder.",
                \.scriptFile),
            Column("script_seed", "The seed with which that script violates the guarantee.", \.scriptSeed),
            Column(
                "script_orders", "How the interleaving of that seed is chosen, if it differs from `orders`.",
                \.scriptOrders),
            Column(
                "trace_digest",
                "A digest of all events in all interleavings, as 16 hexadecimal digits; of merged shards, one of their digests.",
                \.traceDigest),
            Column("example", "The violation, or why there is no verdict.", \.example),
            Column("carrier", "What was scheduled: `tasks` or `threads`.", \.carrier),
            Column(
                "orders",
                "How interleavings were chosen: `random`, `pct`, `pos`, several alternating, or `preemptions`.",
                \.orders
            ),
            Column(
                "distinct_orders",
                "Interleavings that differ in the order of their jobs or steps; those of merged shards are added up.",
                \.distinctOrders),
            .decimal(
                "space_covered", type: .ratio, places: 6, in: 0...1.000001,
                "The share of all interleavings with two preemptions that was run; only for `preemptions`.",
                \.spaceCovered),
            Column("unseen", "What could not be scheduled; if not empty, no guarantee is `consistent`.", \.unseen),
            Column("switched_at", "Where interleavings could continue with another thread or task.", \.switchedAt),
        ] + Column.swept(\.scenario)

    /// The result as a row of `consistency.csv`, where a crash and a hang are broken promises.
    package var consistency: ConsistencyRow {
        let verdict: ConsistencyVerdict =
            switch verdict {
            case .consistent: .consistent
            case .inconsistent, .crashed, .hung: .inconsistent
            case .unknown, .failed: .unknown
            }
        return ConsistencyRow().with {
            $0.trial = TrialIdentity(scenario: scenario, strategy: strategy, repetition: 1)
            ($0.promise, $0.verdict, $0.example) = (promise, verdict, example)
            ($0.operationsChecked, $0.violations) = (operationsChecked, violations)
        }
    }
}
