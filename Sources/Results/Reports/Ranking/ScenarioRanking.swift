package import Statistics
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
    /// A strategy with its place.
    package struct Place: Sendable {
        /// The sign of ``RankVerdict``; a mark such as `bound`; or `–` for a strategy that is not ranked.
        package let sign: String
        /// Its figures.
        package let summary: StrategySummary
        /// How it compares with the best by all figures that decide; `nil` where it is not ranked.
        package var verdict: RankVerdict?
        /// The same by the first figure alone.
        package var firstVerdict: RankVerdict?
        /// The figures that decide, in their order; `nil` for what never came.
        package var figures: [Estimate?] = []
        /// What replaces a figure that is not comparable, such as `keeps stale entries`.
        package var fault: String?

        /// Whether it is a candidate that was ranked.
        package var isRanked: Bool { verdict != nil }
    }

    /// The scenario's name.
    package let scenario: ScenarioPoint
    /// All of its rows.
    package let results: [PhaseResult]
    /// The names of the phases that count.
    package let measured: Set<String>
    /// Those of them whose ratios count: where the origin answered.
    let answered: Set<String>
    /// The repetitions that all sound candidates have, which alone are compared; `nil` where they have none in common.
    let common: Set<Int>?
    /// The phase and the operation that all times are of; `nil` when nothing was recorded.
    package let times: TimesSource?
    /// First the ranked strategies, then the failed ones, then the marked ones.
    package let places: [Place]
    /// The criteria of the order, and the meaning of the figures.
    package let caption: String
    /// What the scenario asks.
    package let question: ScenarioQuestion
    /// Whether the scenario says what decides.
    let isAsked: Bool
    /// The figures that decide.
    let criteria: [Criterion]
    /// Whether more repetitions may tell more about who is best.
    package let isOpen: Bool
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
        let rows = Dictionary(grouping: results, by: \.trial.key.strategy)
        let common = Self.common(rows, marks: rules.marks)
        let summaries = rows.map { name, rows in
            StrategySummary(
                strategy: name, results: rows, repetitions: common, measured: measured, answered: answered, times: times
            )
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
        let counted = results.filter { common?.contains($0.trial.key.repetition) ?? true }
        let ranks = Ranks(sound.filter { lacks($0) == nil }, results: counted, criteria: criteria)
        typealias Unable = (summary: StrategySummary, reason: String, fault: String)
        let unable: [Unable] =
            sound.compactMap { summary in lacks(summary).map { (summary, $0.absence, $0.fault) } }
            + ranks.unmeasured.map { ($0, "there is no \(criteria.first?.text ?? "value")", "none") }

        self.scenario = scenario
        self.question = question
        isAsked = !question.decidedBy.isEmpty
        self.criteria = criteria
        isOpen = ranks.isOpen
        self.results = results
        self.measured = measured
        self.answered = answered
        self.common = common
        self.times = times
        let reasons = Dictionary(grouping: rules.isSmoke ? [] : unable, by: \.reason).sorted { $0.key < $1.key }
        let few = summaries.filter { common != nil && $0.repetitions.count < (common?.count ?? 0) && $0.isRanked }
        unranked =
            reasons.map { reason, summaries in
                "Not ranked, because \(reason): \(summaries.map(\.summary.strategy).joined(separator: ", "))."
            }
            + (few.isEmpty
                ? []
                : [
                    "From fewer repetitions, with other keys: \(few.map(\.strategy).joined(separator: ", "))."
                ])
        func place(
            _ sign: String, _ summary: StrategySummary, _ entry: Ranks.Entry? = nil, fault: String? = nil
        ) -> Place {
            let counted = (rows[summary.strategy] ?? []).countedRepetitions(common)
            let figures = criteria.map { criterion in
                Estimate(counted.map { criterion.value($0) }.mostly(), isRatio: criterion.isRatio)
            }
            return Place(
                sign: sign, summary: summary, verdict: entry?.verdict, firstVerdict: entry?.firstVerdict,
                figures: figures, fault: fault)
        }
        let ranked = ranks.entries.map { entry in
            rules.isSmoke ? place("", entry.summary) : place(entry.verdict.sign, entry.summary, entry)
        }
        let failed = candidates.filter { !$0.isRanked }.map { place("–", $0, fault: $0.status) }
        places =
            ranked + unable.map { place("–", $0.summary, fault: $0.fault) } + failed
            + marked.map { place(rules.marks[$0.strategy] ?? "", $0) }
        caption = Self.caption(
            isSmoke: rules.isSmoke, criteria: criteria, phases: answered.count, of: measured.count, times: times,
            repetitions: common?.count ?? Set(results.map(\.trial.key.repetition)).count)
    }

    /// The repetitions that all sound candidates have. Each repetition has its own keys, so figures of different
    /// repetitions can't be compared. `nil` where they have none in common.
    static func common(_ rows: [String: [PhaseResult]], marks: [String: String]) -> Set<Int>? {
        let sound = rows.filter { name, rows in
            marks[name] == nil && rows.allSatisfy { [.completed, .partial].contains($0.trial.status) }
        }
        let sets = sound.values.map { rows in
            Set(rows.soundRepetitions.map { $0[0].trial.key.repetition })
        }.filter { !$0.isEmpty }
        guard let first = sets.first else { return nil }
        let common = sets.dropFirst().reduce(first) { $0.intersection($1) }
        return common.isEmpty ? nil : common
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
                    Criterion(.originShare, "origin requests per lookup") {
                        figures($0).originShare
                    })
            } else if summaries.allSatisfy({ $0.hitRatio != nil }) {
                criteria.append(
                    Criterion(.originShare, "misses per lookup") {
                        figures($0).hitRatio.map { 1 - $0 }
                    })
            }
        }
        if times != nil {
            criteria.append(Criterion(.p99, "p99") { figures($0).p99.map { Double($0) } })
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
