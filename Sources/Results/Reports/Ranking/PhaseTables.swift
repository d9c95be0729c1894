package import TrialModel

/// Short tables below the ranked one, about phases that measure something of their own. Figures are medians of the
/// repetitions that completed the phase, of those that all sound strategies have. The rows have the order of the ranked
/// table.
extension ScenarioRanking {
    /// The repetitions of a strategy that completed a phase.
    package struct Repetitions: Sendable {
        package let phase: String
        package let strategy: String
        package let results: [PhaseResult]

        /// The median of a figure, over the repetitions that have it; `nil` where most lack it.
        package func median(_ figure: KeyPath<PhaseResult, Double?>) -> Double? {
            results.map { $0[keyPath: figure] }.mostly().median
        }

        /// The median of a figure, over the repetitions that have it; `nil` where most lack it.
        package func median(_ figure: KeyPath<PhaseResult, UInt64?>) -> UInt64? {
            results.map { $0[keyPath: figure] }.mostly().median
        }
    }

    /// The strategies, the first rank first.
    package var strategies: [String] { places.map(\.summary.strategy) }

    /// The phases in which any result meets a condition, in the order of the run.
    package func phases(where isIncluded: (PhaseResult) -> Bool) -> [String] {
        results.filter(isIncluded).map(\.trial.key.phase).distinct
    }

    /// The repetitions that count in which each strategy completed a phase.
    package func completed(_ phase: String) -> [Repetitions] {
        strategies.map { name in
            let own = results.filter {
                $0.trial.key.phase == phase && $0.trial.key.strategy == name && $0.trial.status == .completed
            }
            return Repetitions(phase: phase, strategy: name, results: own.counted(common, \.trial.key.repetition))
        }
    }

    /// The repetitions with a kind of rows, phase by phase.
    func completed(_ isIncluded: (PhaseResult) -> Bool) -> [Repetitions] {
        phases(where: isIncluded).flatMap(completed).map { repetitions in
            Repetitions(
                phase: repetitions.phase, strategy: repetitions.strategy,
                results: repetitions.results.filter(isIncluded))
        }.filter { !$0.results.isEmpty }
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
                    strategy: name, results: own, repetitions: common, measured: measured, answered: answered,
                    times: times)
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
    /// The median of a figure of a file, over the repetitions that have it; empty where most lack it. Name and form are
    /// the file's.
    static func median<Part: PhaseRow>(
        _ header: String, _ figure: PartialKeyPath<Part>, isSpare: Bool = false
    ) -> TableColumn {
        let column = Part.column(of: figure)
        return TableColumn(header, name: column.name, .right, isSpare: isSpare) {
            let median = $0.results.map { Part.main(of: $0).flatMap(column.number) }.mostly().median
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
