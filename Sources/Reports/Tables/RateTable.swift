package import TrialModel

/// The tables at the end of a search for the highest rate: one for each scenario, the highest rate first.
package enum RateTable {
    /// A table for each scenario, in the order in which they first appear.
    ///
    /// - Parameters:
    ///   - results: the rows of a run that searched.
    ///   - searches: every trial of its searches.
    ///   - objective: the latency objective of the rates.
    ///   - marks: the mark that replaces the rank, by strategy; such strategies come last.
    package static func tables(
        _ results: [PhaseResult], searches: [RateSearchRow], objective: LatencyObjective, marks: [String: String]
    ) -> [Table] {
        let steps = Dictionary(grouping: searches, by: \.key.trial.search)
        return searches.map(\.key.trial.scenario).distinct.map { scenario in
            let summaries = steps.filter { $0.key.scenario == scenario }.map { trial, rows in
                RateSummary(trial, rows, results.map(\.trial).filter { $0.key.trial.search == trial })
            }
            return table(scenario, summaries, objective, marks)
        }
    }

    private static func table(
        _ scenario: ScenarioPoint, _ summaries: [RateSummary], _ objective: LatencyObjective, _ marks: [String: String]
    ) -> Table {
        let candidates = summaries.filter { marks[$0.strategy] == nil }.sorted()
        let found = candidates.filter { $0.maxRate != nil }
        let ranked = zip(Rank.all(found) { $0.isSurelyBetter(than: $1) }, found).sorted {
            $0.0 == $1.0 ? $0.1 < $1.1 : $0.0 < $1.0
        }
        let failed = candidates.filter { $0.maxRate == nil }
        let marked = summaries.filter { marks[$0.strategy] != nil }.sorted()
        let limit = Quantity.duration(nanoseconds: objective.limit)
        let phase = summaries.first.map { "phase `\($0.phase)`" } ?? "phase"
        typealias Place = (rank: String, summary: RateSummary)
        let places: [Place] =
            ranked.map { (String($0), $1) } + failed.map { ("–", $0) } + marked.map { (marks[$0.strategy] ?? "", $0) }
        func rate(_ value: Double?) -> TableCell { .number(value, places: 3) { $0 == 0 ? "0" : Quantity.rate($0) } }
        let columns: [TableColumn<Place>] = [
            TableColumn("rank", .right) { .text($0.rank) }, TableColumn("strategy") { .text($0.summary.strategy) },
            TableColumn("max rate/s", name: "max_rate_per_second", .right) { rate($0.summary.maxRate) },
            TableColumn(objective.name, name: "objective_ns", .right) { .duration($0.summary.seen) },
            TableColumn("next rate/s", name: "next_rate_per_second", .right) { rate($0.summary.nextRate) },
            TableColumn("\(objective.name) there", name: "next_objective_ns", .right) {
                .duration($0.summary.nextSeen)
            },
            TableColumn("steps", .right, isSpare: true) { .integer($0.summary.steps) },
            TableColumn("driver", isSpare: true) { .text($0.summary.driver) },
            TableColumn("status") { .text($0.summary.status) },
        ]
        return Table(
            title: "\(scenario)",
            caption: "The highest rate with \(objective.name) of at most \(limit) from the moment operations are due; "
                + "\(phase). Each figure is the median of the trials at its rate.",
            of: places, columns,
            notes: places.map(\.summary).filter { !$0.reason.isEmpty }.map { "\($0.strategy): \($0.reason)" })
    }
}

/// The result of the search for one strategy.
private struct RateSummary: Comparable {
    let strategy: String
    let phase: String
    let maxRate: Double?
    /// The objective's figure at that rate.
    let seen: UInt64?
    /// The lowest higher rate that was tried.
    let nextRate: Double?
    let nextSeen: UInt64?
    let steps: UInt64
    let driver: String
    let status: String
    let reason: String

    init(_ trial: TrialIdentity, _ rows: [RateSearchRow], _ trials: [TrialRow]) {
        strategy = trial.strategy
        phase = rows.first?.key.phase ?? ""
        let searched = trials.filter { row in rows.contains { $0.key.phase == row.key.phase } }
        let found = searched.lazy.compactMap(\.maxRatePerSecond).first
        maxRate = found
        seen = rows.filter { $0.ratePerSecond == found && found != nil }.compactMap(\.objectiveNanoseconds).median
        // Every higher rate that was tried was not sustained.
        nextRate = rows.compactMap(\.ratePerSecond).filter { $0 > found ?? 0 }.min()
        let next = nextRate
        nextSeen = rows.filter { $0.ratePerSecond == next && next != nil }.compactMap(\.objectiveNanoseconds).median
        steps = rows.map(\.step).max() ?? 0
        driver = searched.compactMap(\.driver).first?.rawValue ?? ""
        let worst = trials.first { $0.status != .completed }
        status = (worst?.status ?? .completed).rawValue
        reason = worst?.reason ?? searched.first { !$0.reason.isEmpty }?.reason ?? ""
    }

    /// Whether it sustained a rate at which the other strategy missed the objective.
    func isSurelyBetter(than other: RateSummary) -> Bool {
        guard let maxRate, let missed = other.nextRate else { return false }
        return maxRate >= missed
    }

    static func < (left: RateSummary, right: RateSummary) -> Bool {
        let rates = (left.maxRate ?? -1, right.maxRate ?? -1)
        return rates.0 == rates.1 ? left.strategy < right.strategy : rates.0 > rates.1
    }
}
