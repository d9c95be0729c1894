package import TrialModel

/// Short tables below the ranked one, about phases that measure something of their own. Figures are medians of the
/// repetitions that completed. The rows have the order of the ranked table.
extension ScenarioRanking {
    /// The repetitions of a strategy that completed a phase.
    package struct Repetitions: Sendable {
        package let phase: String
        package let strategy: String
        package let results: [PhaseResult]

        /// The median of a figure, over the repetitions that have it.
        package func median(_ figure: KeyPath<PhaseResult, Double?>) -> Double? {
            results.compactMap { $0[keyPath: figure] }.median
        }

        /// The median of a figure, over the repetitions that have it.
        package func median(_ figure: KeyPath<PhaseResult, UInt64?>) -> UInt64? {
            results.compactMap { $0[keyPath: figure] }.median
        }
    }

    /// The strategies, the first rank first.
    package var strategies: [String] { places.map(\.summary.strategy) }

    /// The phases in which any result meets a condition, in the order of the run.
    package func phases(where isIncluded: (PhaseResult) -> Bool) -> [String] {
        results.filter(isIncluded).map(\.trial.key.phase).distinct
    }

    /// The repetitions in which each strategy completed a phase.
    package func completed(_ phase: String) -> [Repetitions] {
        strategies.map { name in
            let own = results.filter {
                $0.trial.key.phase == phase && $0.trial.key.strategy == name && $0.trial.status == .completed
            }
            return Repetitions(phase: phase, strategy: name, results: own)
        }
    }

    /// The repetitions with a kind of rows, phase by phase.
    private func completed(_ isIncluded: (PhaseResult) -> Bool) -> [Repetitions] {
        phases(where: isIncluded).flatMap(completed).map { repetitions in
            Repetitions(
                phase: repetitions.phase, strategy: repetitions.strategy,
                results: repetitions.results.filter(isIncluded))
        }.filter { !$0.results.isEmpty }
    }

    /// What strategies cost the main thread while a list scrolled: a table for each phase with frames.
    package var frameTables: [(phase: String, table: Table)] {
        let completed = completed { $0.frames != nil }
        return phases { $0.frames != nil }.map { phase in
            let table = Table(
                title: "\(scenario), frames of \(phase)",
                caption: "In the order above. Frames delayed by the machine alone count in machine only.",
                of: completed.filter { $0.phase == phase }, Self.frameColumns)
            return (phase, table)
        }
    }

    private static var frameColumns: [TableColumn<Repetitions>] {
        [
            TableColumn("strategy") { .text($0.strategy) },
            TableColumn("missed", name: "missed_frames", .right) { .ratio($0.median(\.frames?.missedShare)) },
            TableColumn("over budget", name: "over_budget_frames", .right) {
                .ratio($0.median(\.frames?.overBudgetShare))
            },
            .median("held p50", \FramesRow.heldP50, isSpare: true),
            .median("held p99", \FramesRow.heldP99),
            TableColumn("held max", name: "held_max_ns", .right, isSpare: true) {
                .duration($0.results.compactMap(\.frames?.heldMax).max())
            },
            TableColumn("shown at once", name: "shown_at_once", .right) { .ratio($0.median(\.frames?.shownShare)) },
            TableColumn("shown later", name: "shown_later", .right, isSpare: true) {
                .ratio($0.median(\.frames?.laterShare))
            },
            .median("to picture p50", \FramesRow.timeToPictureP50),
            .median("p99", \FramesRow.timeToPictureP99),
            .median("abandoned", \FramesRow.abandonedLoads),
            .median("late", \FramesRow.lateAnswers),
            TableColumn("machine", name: "machine_frames", .right, isSpare: true) {
                let frames = $0.results.compactMap(\.frames?.machineFrames)
                return .count(frames.reduce(0) { $0.addingReportingOverflow($1).partialValue })
            },
        ]
    }

    /// The memory that strategies released under memory pressure, and the cost of releasing it; `nil` where no phase
    /// begins with memory pressure.
    package var pressureTable: Table? {
        let rows = completed { $0.pressure != nil }
        return rows.isEmpty
            ? nil
            : Table(
                title: "\(scenario), memory pressure",
                caption:
                    "Given back: bytes released within 100 ms, and bytes still released at the end of the phase. "
                    + "Back after: operations until the hit ratio reached 90 % of the ratio before.",
                of: rows, Self.pressureColumns)
    }

    private static var pressureColumns: [TableColumn<Repetitions>] {
        [
            TableColumn("level") { .text($0.results.first?.pressure?.level.rawValue) },
            TableColumn("strategy") { .text($0.strategy) },
            TableColumn("asked", name: "responds") { .word($0.results.first?.pressure?.responds == true) },
            .median("held", \PressureRow.bytesBefore, isSpare: true),
            .median("given back", \PressureRow.bytesGivenBack),
            TableColumn("share", name: "share_given_back", .right) { .ratio($0.median(\.pressure?.shareGivenBack)) },
            .median("at the end", \PressureRow.bytesGivenBackAtEnd, isSpare: true),
            .median("answer", \PressureRow.responseNanoseconds, isSpare: true),
            .median("hits after", \PressureRow.hitRatioAfter),
            .median("back after", \PressureRow.operationsToRecovery),
            .median("in flight", \PressureRow.loadsInFlight, isSpare: true),
            .median("failed", \PressureRow.loadsFailed),
            .median("restarted", \PressureRow.loadsRestarted),
        ]
    }

    /// The benefit and the cost of prefetching; `nil` where no phase measures prefetches. Phases without prefetches have
    /// rows for comparison.
    package var prefetchTable: Table? {
        let rows = completed { $0.prefetch != nil }
        let ordered = strategies.flatMap { name in rows.filter { $0.strategy == name } }
        return rows.isEmpty
            ? nil
            : Table(
                title: "\(scenario), prefetch",
                caption:
                    "Times are those of lookups. Useful: prefetched values that a lookup found or waited for. Wasted: "
                    + "the bytes of the others. Lost: keys on the screen that were gone when they were looked up "
                    + "again. Whose: whether the strategy has a prefetch of its own.",
                of: ordered, Self.prefetchColumns)
    }

    private static var prefetchColumns: [TableColumn<Repetitions>] {
        [
            TableColumn("phase") { .text($0.phase) }, TableColumn("strategy") { .text($0.strategy) },
            TableColumn("whose", name: "own", isSpare: true) {
                .text($0.results.first?.prefetch?.isOwn == true ? "its own" : "plain")
            },
            TableColumn("hits", name: "hit_ratio", .right) { .ratio($0.median(\.hitRate?.hitRatio)) },
            TableColumn("p50", name: "p50_ns", .right) { .duration($0.median(\.lookupLatency?.p50)) },
            TableColumn("p99", name: "p99_ns", .right) { .duration($0.median(\.lookupLatency?.p99)) },
            .median("origin loads", \HitRateRow.originLoads),
            .median("prefetched", \PrefetchRow.requests),
            TableColumn("useful", name: "useful_share", .right) { .ratio($0.median(\.prefetch?.usefulShare)) },
            .median("wasted", \PrefetchRow.wastedBytes),
            .median("joined", \PrefetchRow.joined, isSpare: true),
            .median("called off", \PrefetchRow.cancelled, isSpare: true),
            .median("late", \PrefetchRow.late),
            .median("lost", \PrefetchRow.visibleLost),
        ]
    }

    /// The times and hits of launches; `nil` where no phase opens a strategy again.
    package var launchTable: Table? {
        let rows = completed { $0.trial.status == .completed && $0.trial.hitsOfFirst100 != nil }
        return rows.isEmpty
            ? nil
            : Table(
                title: "\(scenario), launches",
                caption: "Time to open what was left on disk, then time to the first hit; medians.", of: rows,
                [
                    TableColumn("phase") { .text($0.phase) }, TableColumn("strategy") { .text($0.strategy) },
                    .median("open", \TrialRow.openNanoseconds),
                    .median("first hit", \TrialRow.firstHitNanoseconds),
                    .median("hits of first 100", \TrialRow.hitsOfFirst100),
                ])
    }

    /// The figures of each key pool, made like those of the ranked table, of the same phase and operation, but from the
    /// rows of one pool instead of the rows of all keys; `nil` where pools are not measured separately.
    package var poolTable: Table? {
        let pools = results.flatMap(\.poolHitRates).map(\.pool).distinct
        let rows = pools.flatMap { pool in
            strategies.compactMap { name -> (pool: String, summary: StrategySummary)? in
                let own = results.filter { $0.trial.key.strategy == name }.map { $0.narrowed(to: pool) }
                let summary = StrategySummary(
                    strategy: name, results: own, measured: measured, answered: answered, times: times)
                return summary.hitRatio == nil && summary.p99 == nil ? nil : (pool.rawValue, summary)
            }
        }
        return pools.isEmpty
            ? nil
            : Table(
                title: "\(scenario), by pool", caption: "In the order above, and of the same phase and operation.",
                of: rows,
                [TableColumn("pool") { .text($0.pool) }]
                    + TableColumn.of(
                        \.summary, [.strategy, .hits, .toOrigin, .duplicates(isSpare: true), .hitP50, .p99]))
    }
}

extension TableColumn<ScenarioRanking.Repetitions> {
    /// The median of a figure of a file, over the repetitions that have it. Name and form are the file's.
    fileprivate static func median<Part: PhaseRow>(
        _ header: String, _ figure: PartialKeyPath<Part>, isSpare: Bool = false
    ) -> TableColumn {
        let column = Part.column(of: figure)
        return TableColumn(header, name: column.name, .right, isSpare: isSpare) {
            let median = $0.results.compactMap { Part.main(of: $0).flatMap(column.number) }.median
            let whole = median.flatMap { UInt64(exactly: $0.rounded(.down)) }
            return switch column.unit {
            case _ where column.type == .ratio: .ratio(median)
            case "ns": .duration(whole)
            case "bytes": .bytes(whole)
            default: .count(whole)
            }
        }
    }
}

extension PhaseResult {
    fileprivate var lookupLatency: LatencySummary? {
        (latency.asCallersSee(.only(.load)) ?? latency.asCallersSee(.only(.read)))?.latency
    }
}
