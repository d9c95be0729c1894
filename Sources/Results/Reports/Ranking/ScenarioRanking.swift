package import TrialModel

/// What rankings are made by, besides rows.
package struct RankingRules: Sendable {
    /// The mark that replaces the rank, by strategy; such strategies come last.
    package var marks = ClosingTable.marks
    /// What scenarios ask, and what decides.
    package var questions: [ScenarioPoint: ScenarioQuestion] = [:]
    /// The smallest differences worth reporting that scenarios set.
    package var smallestDifferences: [ScenarioPoint: [Metric: SmallestDifference]] = [:]
    /// What strategies have, by name; a strategy that is not listed has everything.
    package var abilities: [String: Set<StrategyNeed>] = [:]
    /// Whether the rows are of a smoke run, which measures nothing, so that nothing is ranked.
    package var isSmoke = false

    package init(marks: [String: String] = ClosingTable.marks) { self.marks = marks }

    /// Adds what a run says of its scenarios.
    package mutating func add(_ run: RunDescription) {
        questions.merge(run.questions) { first, _ in first }
        smallestDifferences.merge(run.smallestDifferences) { first, _ in first }
        isSmoke = isSmoke || run.smoke
    }
}

/// The strategies of one scenario with their figures, in the order that ``ClosingTable`` explains.
package struct ScenarioRanking: Sendable {
    /// A strategy with its rank.
    package struct Place: Sendable {
        /// `1` for a strategy that is not surely worse than the best, `2` for one that is; a mark such as `bound`; or
        /// `–` for a strategy that is not ranked.
        package let rank: String
        /// Its figures.
        package let summary: StrategySummary
        /// How it compares with the best; `nil` where it is not ranked.
        package var verdict: RankVerdict?
        /// The medians of the figures that decide, in their order.
        package var figures: [Double?] = []

        /// Whether it is a candidate that was ranked.
        package var isRanked: Bool { Int(rank) != nil }
    }

    /// The scenario's name.
    package let scenario: ScenarioPoint
    /// All of its rows.
    package let results: [PhaseResult]
    /// The names of the phases that count.
    package let measured: Set<String>
    /// Those of them whose ratios count: where the origin answered.
    let answered: Set<String>
    /// The phase and the operation that all times are of; `nil` when nothing was recorded.
    package let times: TimesSource?
    /// First the ranked strategies, then the failed ones, then the marked ones.
    package let places: [Place]
    /// The criteria of the order, and the meaning of the figures.
    package let caption: String
    /// The scenario's question; `nil` when it asks none.
    package let question: String?
    /// Whether the scenario says what decides.
    let isAsked: Bool
    /// The candidates that were ranked.
    let ranked: SureOrder
    /// Why strategies are not ranked although they completed, one sentence each.
    private let unranked: [String]

    /// A ranking for each scenario, in the order in which they first appear.
    ///
    /// - Parameters:
    ///   - results: the rows of a run.
    ///   - rules: what the rankings are made by.
    package static func all(_ results: [PhaseResult], _ rules: RankingRules = RankingRules()) -> [ScenarioRanking] {
        results.grouped(by: \.trial.key.scenario).map { scenario, results in
            ScenarioRanking(scenario: scenario, results: results, rules)
        }
    }

    /// The contracts of this table's strategies; empty where all of them promise the same.
    package func differing(_ contracts: [String: String]) -> [String: String] {
        Set(places.map { contracts[$0.summary.strategy] ?? "" }).count > 1 ? contracts : [:]
    }

    private init(scenario: ScenarioPoint, results: [PhaseResult], _ rules: RankingRules) {
        let measured = Set(results.filter { !$0.latency.isEmpty }.map(\.trial.key.phase))
        let answered = Self.answered(results, of: measured)
        let times = TimesSource(results, measured: measured)
        let question = rules.questions[scenario] ?? .defaults
        let summaries = Dictionary(grouping: results, by: \.trial.key.strategy).map { name, rows in
            StrategySummary(strategy: name, results: rows, measured: measured, answered: answered, times: times)
        }.sorted { $0.strategy < $1.strategy }
        let candidates = summaries.filter { rules.marks[$0.strategy] == nil }
        let marked = summaries.filter { rules.marks[$0.strategy] != nil }
        let sound = candidates.filter(\.isRanked)
        func lacks(_ summary: StrategySummary) -> StrategyNeed? {
            rules.abilities[summary.strategy].flatMap { has in question.needs.first { !has.contains($0) } }
        }
        var criteria =
            question.decidedBy.isEmpty
            ? Self.usualCriteria(sound, answered: answered, times: times) : question.decidedBy.map(Criterion.init)
        for index in criteria.indices {
            guard let own = rules.smallestDifferences[scenario]?[criteria[index].metric] else { continue }
            criteria[index].smallest = own
        }
        let ranked = SureOrder(sound.filter { lacks($0) == nil }, results: results, criteria: criteria)
        let unable =
            sound.compactMap { summary in lacks(summary).map { (summary, $0.absence) } }
            + ranked.unmeasured.map { ($0, "there is no \(criteria.first?.text ?? "figure")") }

        self.scenario = scenario
        self.question = question.text
        isAsked = !question.decidedBy.isEmpty
        self.ranked = ranked
        self.results = results
        self.measured = measured
        self.answered = answered
        self.times = times
        let reasons = Dictionary(grouping: rules.isSmoke ? [] : unable, by: \.1).sorted { $0.key < $1.key }
        unranked = reasons.map { reason, summaries in
            "Not ranked, because \(reason): \(summaries.map(\.0.strategy).joined(separator: ", "))."
        }
        let figures = Dictionary(
            grouping: results, by: \.trial.key.strategy
        ).mapValues { rows in criteria.map { SureOrder.median(rows, $0) } }
        func unrankedPlace(_ rank: String, _ summary: StrategySummary) -> Place {
            Place(rank: rank, summary: summary, figures: figures[summary.strategy] ?? [])
        }
        places =
            ranked.entries.map { entry in
                Place(
                    rank: rules.isSmoke ? "" : entry.verdict == .worse ? "2" : "1", summary: entry.summary,
                    verdict: rules.isSmoke ? nil : entry.verdict, figures: entry.figures)
            } + unable.map { unrankedPlace("–", $0.0) }
            + candidates.filter { !$0.isRanked }.map { unrankedPlace("–", $0) }
            + marked.map { unrankedPlace(rules.marks[$0.strategy] ?? "", $0) }
        caption = Self.caption(
            isSmoke: rules.isSmoke, criteria: criteria, phases: answered.count, of: measured.count, times: times,
            repetitions: Set(results.map(\.trial.key.repetition)).count)
    }

    /// The usual order: the fewest requests to the origin per lookup, then the lowest 99th percentile. Misses replace
    /// requests where the origin kept no log. Where keys are prefetched, requests are no share of the lookups, and
    /// callers wait for those that come late: the percentile alone decides.
    private static func usualCriteria(
        _ summaries: [StrategySummary], answered: Set<String>, times: TimesSource?
    ) -> [Criterion] {
        @Sendable func figures(_ phases: [PhaseResult]) -> RepetitionFigures {
            RepetitionFigures(phases.filter { !$0.latency.isEmpty }, answered: answered, times: times)
        }
        var criteria: [Criterion] = []
        if !summaries.isEmpty, !summaries.contains(where: \.hasPrefetches) {
            if summaries.allSatisfy({ $0.originShare != nil }) {
                criteria.append(
                    Criterion(.originShare, text: "origin requests per lookup", header: "to origin") {
                        figures($0).originShare
                    })
            } else if summaries.allSatisfy({ $0.hitRatio != nil }) {
                criteria.append(
                    Criterion(.originShare, text: "misses per lookup", header: "misses") {
                        figures($0).hitRatio.map { 1 - $0 }
                    })
            }
        }
        if times != nil {
            criteria.append(Criterion(.p99, text: "p99", header: "p99") { figures($0).p99.map { Double($0) } })
        }
        return criteria
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
        unranked + places.flatMap { place in place.summary.reasons.map { "\(place.summary.strategy) \($0)" } }
    }

    /// One line: the facts about these figures that differ from table to table.
    private static func caption(
        isSmoke: Bool, criteria: [Criterion], phases: Int, of measured: Int, times: TimesSource?, repetitions: Int
    ) -> String {
        var parts = [
            isSmoke
                ? "Not ranked: a smoke run measures nothing"
                : criteria.isEmpty
                    ? "Not ranked: nothing was measured"
                    : "Ranked by " + criteria.map(\.text).joined(separator: ", then ")
        ]
        if let times {
            let operation = times.operation == .all ? "all operations" : "`\(times.operation)`"
            parts.append("times of phase `\(DisplayWidth.cut(times.phase, to: longestName))` (\(operation))")
        }
        if measured > 1 {
            let kind = phases < measured ? " of \(measured), those with a network" : ""
            parts.append("ratios: mean of \(Quantity.many(phases, "phase"))\(kind)")
        }
        if repetitions > 1 { parts.append("medians of \(repetitions) repetitions") }
        return parts.joined(separator: "; ") + "."
    }

    /// In columns: a longer phase name is cut, so that a caption has at most about 150 columns.
    private static let longestName = 17
}
