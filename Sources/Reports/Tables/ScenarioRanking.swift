package import TrialModel

/// The strategies of one scenario with their figures, in the order that ``ClosingTable`` explains.
package struct ScenarioRanking: Sendable {
    /// A strategy with its rank.
    package struct Place: Sendable {
        /// A number from 1, shared by strategies whose difference is not sure; a mark such as `bound`; or `–` for a
        /// strategy that failed.
        package let rank: String
        /// Its figures.
        package let summary: StrategySummary

        /// Whether it is a candidate that was ranked.
        package var isRanked: Bool { Int(rank) != nil }
    }

    /// The scenario's name.
    package let scenario: ScenarioPoint
    /// All of its rows.
    package let results: [PhaseResult]
    /// The names of the phases that count.
    package let measured: Set<String>
    /// The phase and the operation that all times are of; `nil` when nothing was recorded.
    package let times: TimesSource?
    /// First the ranked strategies, then the failed ones, then the marked ones.
    package let places: [Place]
    /// The criteria of the order, and the meaning of the figures.
    package let caption: String
    /// The candidates that were ranked.
    let ranked: SureOrder

    /// A ranking for each scenario, in the order in which they first appear.
    ///
    /// - Parameters:
    ///   - results: the rows of a run.
    ///   - marks: the mark that replaces the rank, by strategy; such strategies come last.
    ///   - isSmoke: whether they are of a smoke run, which measures nothing, so that nothing is ranked.
    package static func all(
        _ results: [PhaseResult], marks: [String: String] = ClosingTable.marks, isSmoke: Bool = false
    ) -> [ScenarioRanking] {
        var order: [ScenarioPoint] = []
        for scenario in results.map(\.trial.key.trial.scenario) where !order.contains(scenario) {
            order.append(scenario)
        }
        let grouped = Dictionary(grouping: results, by: \.trial.key.trial.scenario)
        return order.compactMap { name in
            grouped[name].map { ScenarioRanking(scenario: name, results: $0, marks: marks, isSmoke: isSmoke) }
        }
    }

    /// The contracts of this table's strategies; empty where all of them promise the same.
    package func differing(_ contracts: [String: String]) -> [String: String] {
        Set(places.map { contracts[$0.summary.strategy] ?? "" }).count > 1 ? contracts : [:]
    }

    private init(scenario: ScenarioPoint, results: [PhaseResult], marks: [String: String], isSmoke: Bool) {
        let measured = Set(results.filter { !$0.latency.isEmpty }.map(\.trial.key.phase))
        let answered = Self.answered(results, of: measured)
        let times = TimesSource(results, measured: measured)
        let summaries = Dictionary(grouping: results, by: \.trial.key.trial.strategy).map { name, rows in
            StrategySummary(strategy: name, results: rows, measured: measured, answered: answered, times: times)
        }
        let ranked = SureOrder(summaries.filter { marks[$0.strategy] == nil && $0.isRanked })
        let failed = summaries.filter { marks[$0.strategy] == nil && !$0.isRanked }.sorted {
            $0.strategy < $1.strategy
        }
        let marked = summaries.filter { marks[$0.strategy] != nil }.sorted { $0.strategy < $1.strategy }

        self.scenario = scenario
        self.ranked = ranked
        self.results = results
        self.measured = measured
        self.times = times
        places =
            zip(ranked.ranks, ranked.order).map { Place(rank: isSmoke ? "" : String($0), summary: $1) }
            + failed.map { Place(rank: "–", summary: $0) }
            + marked.map { Place(rank: marks[$0.strategy] ?? "", summary: $0) }
        caption = Self.caption(
            isSmoke: isSmoke, share: ranked.share, phases: answered.count, of: measured.count, times: times,
            repetitions: Set(results.map(\.trial.key.trial.repetition)).count)
    }

    /// The measured phases whose ratios count: those in which the origin answered, or all where it never did. Without a
    /// network every load fails, and costs the origin nothing.
    private static func answered(_ results: [PhaseResult], of measured: Set<String>) -> Set<String> {
        let rates = Dictionary(grouping: results.compactMap(\.hitRate), by: \.key.phase)
        let offline = rates.filter { _, rates in
            rates.contains { $0.failedLoads > 0 } && rates.allSatisfy { $0.failedLoads == $0.misses }
        }
        let answered = measured.subtracting(offline.keys)
        return answered.isEmpty ? measured : answered
    }

    /// The reasons for crashes and other failures, one sentence each.
    package var notes: [String] {
        places.flatMap { place in place.summary.reasons.map { "\(place.summary.strategy) \($0)" } }
    }

    /// The figures of each key pool; `nil` where pools are not measured separately.
    package var poolTable: Table? {
        PoolTable(
            scenario: scenario, results: results, measured: measured, times: times,
            strategies: places.map(\.summary.strategy)
        ).table
    }

    /// The figures of launches; `nil` where no phase opens a strategy again.
    package var launchTable: Table? {
        LaunchTable(scenario: scenario, results: results, strategies: places.map(\.summary.strategy)).table
    }

    /// One line: the facts about these figures that differ from table to table.
    private static func caption(
        isSmoke: Bool, share: SureOrder.Share?, phases: Int, of measured: Int, times: TimesSource?, repetitions: Int
    ) -> String {
        let criterion = share.map { $0 == .misses ? "misses per lookup" : "origin requests per lookup" }
        let criteria = [criterion, times == nil ? nil : "p99"].compactMap { $0 }
        var parts = [
            isSmoke
                ? "Not ranked: a smoke run measures nothing"
                : criteria.isEmpty
                    ? "Not ranked: nothing was measured" : "Ranked by " + criteria.joined(separator: ", then ")
        ]
        if let times {
            let operation = times.operation == .all ? "all operations" : "`\(times.operation)`"
            parts.append("times of phase `\(DisplayWidth.cut(times.phase, to: longestName))` (\(operation))")
        }
        if measured > 1 {
            let kind = phases < measured ? " of \(measured), those with a network" : ""
            parts.append("ratios: mean of \(phases) \(phases == 1 ? "phase" : "phases")\(kind)")
        }
        if repetitions > 1 { parts.append("medians of \(repetitions) repetitions") }
        return parts.joined(separator: "; ") + "."
    }

    /// In columns: a longer phase name is cut, so that a caption has at most about 150 columns.
    private static let longestName = 17
}
