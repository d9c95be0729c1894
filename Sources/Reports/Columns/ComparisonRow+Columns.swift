package import TrialModel

extension ComparisonRow: ResultRow {
    /// A row with nothing in it, to be filled from cells.
    package static var blank: ComparisonRow { ComparisonRow(scenario: "", strategy: "", phase: "", metric: "") }

    /// The columns of `comparison.csv`.
    package static var columns: [Column<ComparisonRow>] {
        [
            Column("scenario", "The scenario's name.", \.scenario),
            Column("strategy", "The candidate's strategy.", \.strategy),
            Column("phase", "The measured phase's name.", \.phase),
            Column("metric", "What is compared.", \.metric),
            Column("unit", "The metric's unit; empty for a ratio.", \.unit),
            number("baseline", "The baseline's median over its repetitions.", \.baseline),
            number("candidate", "The candidate's median.", \.candidate),
            number("ratio", "Candidate to baseline; empty where differences are judged.", \.ratio),
            number("ratio_low", "The lower end of its interval.", \.ratioLow),
            number("ratio_high", "The upper end.", \.ratioHigh),
            Column(
                "verdict",
                "`better`, `worse`, `same`, or `inconclusive`: the smallest difference lies in the interval.",
                \.verdict),
            number("difference", "Candidate less baseline; empty where ratios are judged.", \.difference),
            number("difference_low", "The lower end of its interval.", \.differenceLow),
            number("difference_high", "The upper end.", \.differenceHigh),
            number(
                "smallest_difference",
                "The smallest difference worth reporting: a share of the baseline for ratios, else in the metric's unit.",
                \.smallestDifference),
            number(
                "confidence", "How sure the interval is, after correction for many comparisons; 1 for exact counts.",
                \.confidence),
            Column("baseline_strategy", "The baseline's strategy.", \.baselineStrategy),
            Column(
                "baseline_repetitions", "How many repetitions the baseline's figures come from.", \.baselineRepetitions),
            Column("candidate_repetitions", "The same for the candidate.", \.candidateRepetitions),
            Column("reason", "Why nothing is sure, or what else is to be known.", \.reason),
            Column(
                "sampled_in",
                "`slices`: both sides took turns of some milliseconds; `repetitions`: whole trials are compared.",
                \.sampledIn),
            Column("slices", "How many slices of each side were compared; 0 for repetitions.", \.slices),
        ]
    }

    private static func number(
        _ name: String, _ meaning: String, _ path: any WritableKeyPath<ComparisonRow, Double?> & Sendable
    ) -> Column<ComparisonRow> {
        .decimal(name, unit: "", places: 6, meaning, path)
    }
}

extension SampleUnit: CellValue {
    static var columnType: ColumnType { .text }
    var cellText: String { rawValue }
    init?(cellText: String) { self.init(rawValue: cellText) }
}

extension ComparisonVerdict: CellValue {
    static var columnType: ColumnType { .text }
    var cellText: String { rawValue }
    init?(cellText: String) { self.init(rawValue: cellText) }
}
