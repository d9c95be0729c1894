/// The verdict of a comparison on one metric.
package enum ComparisonVerdict: String, Sendable, CaseIterable, CellValue {
    /// Better by more than the smallest difference worth reporting: the whole confidence interval lies beyond it.
    case better
    /// Worse by more than the smallest difference worth reporting: the whole confidence interval lies beyond it.
    case worse
    /// Not further apart than the smallest difference worth reporting: the whole confidence interval lies within it.
    case same
    /// The samples support none of these verdicts.
    case inconclusive
}

/// The unit of the samples of a comparison.
package enum SampleUnit: String, Sendable, CaseIterable, CellValue {
    /// Whole trials.
    case repetitions
    /// Rounds in which both sides took turns; each sample is the median of its slices.
    case slices
}

/// A row of `comparison.csv`: one metric of one measured phase, baseline and candidate.
package struct ComparisonRow: ResultRow {
    package static let file = "comparison.csv"
    package static let leadingColumnCount = 4

    package var scenario: ScenarioPoint = ""
    package var strategy = ""
    /// The same as ``strategy``, unless strategies of one run are compared.
    package var baselineStrategy = ""
    package var phase = ""
    package var metric = ""
    package var unit = ""
    /// `nil` when not measured.
    package var baseline: Double?
    package var candidate: Double?
    package var ratio: Double?
    package var ratioLow: Double?
    package var ratioHigh: Double?
    package var difference: Double?
    package var differenceLow: Double?
    package var differenceHigh: Double?
    package var smallestDifference: Double?
    /// From 0 to 1; `nil` without an interval.
    package var confidence: Double?
    package var baselineRepetitions: UInt64 = 0
    package var candidateRepetitions: UInt64 = 0
    package var verdict = ComparisonVerdict.inconclusive
    /// One line.
    package var reason = ""
    package var sampledIn = SampleUnit.repetitions
    package var slices: UInt64 = 0
    /// Whether more rounds may still change the verdict of a sequential comparison; not part of the file.
    package var goesOn = true
    /// Whether there are fewer rounds than any verdict takes.
    package var lacksRounds = false

    package init(
        scenario: ScenarioPoint, strategy: String, baselineStrategy: String? = nil, phase: String, metric: String,
        unit: String = "", baseline: Double? = nil, candidate: Double? = nil,
        verdict: ComparisonVerdict = .inconclusive, reason: String = ""
    ) {
        self.scenario = scenario
        self.strategy = strategy
        self.baselineStrategy = baselineStrategy ?? strategy
        self.phase = phase
        self.metric = metric
        self.unit = unit
        self.baseline = baseline
        self.candidate = candidate
        self.verdict = verdict
        self.reason = reason
    }

    package init() {}

    package static let columns: [Column<ComparisonRow>] =
        [
            Column("scenario", "The scenario's name.", \.scenario.name),
            Column("strategy", "The candidate's strategy.", \.strategy),
            Column("phase", "The measured phase's name.", \.phase),
            Column("metric", "The compared metric.", \.metric),
            Column("unit", "The metric's unit; empty for a ratio.", \.unit),
            .decimal("baseline", places: 6, "The baseline's median over its repetitions.", \.baseline),
            .decimal("candidate", places: 6, "The candidate's median.", \.candidate),
            .decimal("ratio", places: 6, "Candidate divided by baseline; empty where differences are judged.", \.ratio),
            .decimal("ratio_low", places: 6, "The lower end of its interval.", \.ratioLow),
            .decimal("ratio_high", places: 6, "The upper end.", \.ratioHigh),
            Column(
                "verdict",
                "`better`, `worse`, `same`, or `inconclusive`: the smallest difference lies in the interval.",
                \.verdict),
            .decimal(
                "difference", places: 6, "Candidate minus baseline; empty where ratios are judged.", \.difference),
            .decimal("difference_low", places: 6, "The lower end of its interval.", \.differenceLow),
            .decimal("difference_high", places: 6, "The upper end.", \.differenceHigh),
            .decimal(
                "smallest_difference", places: 6,
                "The smallest difference worth reporting: "
                    + "a share of the baseline for ratios, else in the metric's unit.",
                \.smallestDifference),
            .decimal(
                "confidence", places: 6,
                "The confidence level of the interval, after correction for multiple comparisons; 1 for exact counts, empty for counted instructions.",
                \.confidence),
            Column("baseline_strategy", "The baseline's strategy.", \.baselineStrategy),
            Column(
                "baseline_repetitions", "How many repetitions the baseline has.", \.baselineRepetitions),
            Column("candidate_repetitions", "The same for the candidate.", \.candidateRepetitions),
            Column("reason", "Why the verdict is `inconclusive`, or a remark on it.", \.reason),
            Column(
                "sampled_in",
                "`slices`: both sides alternated in slices of some milliseconds; `repetitions`: whole trials are compared.",
                \.sampledIn
            ).whereMissing(SampleUnit.repetitions.cellText),
            Column("slices", "How many slices of each side were compared; 0 for repetitions.", \.slices)
                .whereMissing("0"),
        ] + Column.swept(\.scenario)
}
