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
            TableColumn("held p50", name: "held_p50_ns", .right, isSpare: true) {
                .duration($0.median(\.frames?.heldP50))
            },
            TableColumn("held p99", name: "held_p99_ns", .right) { .duration($0.median(\.frames?.heldP99)) },
            TableColumn("held max", name: "held_max_ns", .right, isSpare: true) {
                .duration($0.results.compactMap(\.frames?.heldMax).max())
            },
            TableColumn("shown at once", name: "shown_at_once", .right) { .ratio($0.median(\.frames?.shownShare)) },
            TableColumn("shown later", name: "shown_later", .right, isSpare: true) {
                .ratio($0.median(\.frames?.laterShare))
            },
            TableColumn("to picture p50", name: "time_to_picture_p50_ns", .right) {
                .duration($0.median(\.frames?.timeToPictureP50))
            },
            TableColumn("p99", name: "time_to_picture_p99_ns", .right) {
                .duration($0.median(\.frames?.timeToPictureP99))
            },
            TableColumn("abandoned", name: "abandoned_loads", .right) { .count($0.median(\.frames?.abandonedLoads)) },
            TableColumn("late", name: "late_answers", .right) { .count($0.median(\.frames?.lateAnswers)) },
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
            TableColumn("held", name: "bytes_before", .right, isSpare: true) {
                .bytes($0.median(\.pressure?.bytesBefore))
            },
            TableColumn("given back", name: "bytes_given_back", .right) {
                .bytes($0.median(\.pressure?.bytesGivenBack))
            },
            TableColumn("share", name: "share_given_back", .right) { .ratio($0.median(\.pressure?.shareGivenBack)) },
            TableColumn("at the end", name: "bytes_given_back_at_end", .right, isSpare: true) {
                .bytes($0.median(\.pressure?.bytesGivenBackAtEnd))
            },
            TableColumn("answer", name: "response_ns", .right, isSpare: true) {
                .duration($0.median(\.pressure?.responseNanoseconds))
            },
            TableColumn("hits after", name: "hit_ratio_after", .right) { .ratio($0.median(\.pressure?.hitRatioAfter)) },
            TableColumn("back after", name: "operations_to_recovery", .right) {
                .count($0.median(\.pressure?.operationsToRecovery))
            },
            TableColumn("in flight", name: "loads_in_flight", .right, isSpare: true) {
                .count($0.median(\.pressure?.loadsInFlight))
            },
            TableColumn("failed", name: "loads_failed", .right) { .count($0.median(\.pressure?.loadsFailed)) },
            TableColumn("restarted", name: "loads_restarted", .right) { .count($0.median(\.pressure?.loadsRestarted)) },
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
            TableColumn("origin loads", name: "origin_loads", .right) { .count($0.median(\.hitRate?.originLoads)) },
            TableColumn("prefetched", name: "requests", .right) { .count($0.median(\.prefetch?.requests)) },
            TableColumn("useful", name: "useful_share", .right) { .ratio($0.median(\.prefetch?.usefulShare)) },
            TableColumn("wasted", name: "wasted_bytes", .right) { .bytes($0.median(\.prefetch?.wastedBytes)) },
            TableColumn("joined", .right, isSpare: true) { .count($0.median(\.prefetch?.joined)) },
            TableColumn("called off", name: "cancelled", .right, isSpare: true) {
                .count($0.median(\.prefetch?.cancelled))
            },
            TableColumn("late", name: "late_requests", .right) { .count($0.median(\.prefetch?.late)) },
            TableColumn("lost", name: "visible_lost", .right) { .count($0.median(\.prefetch?.visibleLost)) },
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
                    TableColumn("open", name: "open_ns", .right) { .duration($0.median(\.trial.openNanoseconds)) },
                    TableColumn("first hit", name: "first_hit_ns", .right) {
                        .duration($0.median(\.trial.firstHitNanoseconds))
                    },
                    TableColumn("hits of first 100", name: "hits_of_first_100", .right) {
                        .count($0.median(\.trial.hitsOfFirst100))
                    },
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

extension PhaseResult {
    fileprivate var lookupLatency: LatencySummary? {
        (latency.asCallersSee(.only(.load)) ?? latency.asCallersSee(.only(.read)))?.latency
    }
}
