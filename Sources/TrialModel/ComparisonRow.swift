/// What a comparison says of one figure.
package enum ComparisonVerdict: String, Codable, Hashable, Sendable, CaseIterable {
    /// Surely better, by more than the smallest difference worth reporting.
    case better
    /// Surely worse, by more than that.
    case worse
    /// Surely no further apart than that.
    case same
    /// None of these is sure.
    case inconclusive
}

/// What the samples of a comparison are.
package enum SampleUnit: String, Codable, Hashable, Sendable {
    /// Whole trials.
    case repetitions
    /// Rounds in which both sides took turns; each is the median of its slices.
    case slices
}

/// A row of `comparison.csv`: one figure of one measured phase, baseline and candidate.
package struct ComparisonRow: Codable, Hashable, Sendable {
    package var scenario: String
    /// The candidate's strategy.
    package var strategy: String
    /// The same as ``strategy``, unless strategies of one run are compared.
    package var baselineStrategy: String
    package var phase: String
    /// The metric's name.
    package var metric: String
    /// The metric's unit; empty for a ratio.
    package var unit: String
    /// Medians over the repetitions; `nil` when not measured.
    package var baseline: Double?
    package var candidate: Double?
    /// Candidate to baseline, with the ends of its interval; `nil` where differences are judged.
    package var ratio: Double?
    package var ratioLow: Double?
    package var ratioHigh: Double?
    /// Candidate less baseline, with the ends of its interval; `nil` where ratios are judged.
    package var difference: Double?
    package var differenceLow: Double?
    package var differenceHigh: Double?
    /// The smallest difference worth reporting: a share of the baseline for ratios, else in the metric's unit.
    package var smallestDifference: Double?
    /// How sure the interval is, from 0 to 1; 1 where figures repeat exactly; `nil` without an interval.
    package var confidence: Double?
    package var baselineRepetitions: UInt64
    package var candidateRepetitions: UInt64
    package var verdict: ComparisonVerdict
    /// Why the verdict is `inconclusive`, or what else is to be known; one line, or empty.
    package var reason: String
    /// What a sample is.
    package var sampledIn = SampleUnit.repetitions
    /// How many slices of both sides were compared; 0 where samples are repetitions.
    package var slices: UInt64 = 0
    /// Whether more rounds may decide it, in a comparison that goes on; stands in no file.
    package var goesOn = true

    package init(
        scenario: String, strategy: String, baselineStrategy: String? = nil, phase: String, metric: String,
        unit: String = "", baseline: Double? = nil, candidate: Double? = nil, smallestDifference: Double? = nil,
        confidence: Double? = nil, baselineRepetitions: UInt64 = 0, candidateRepetitions: UInt64 = 0,
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
        self.smallestDifference = smallestDifference
        self.confidence = confidence
        self.baselineRepetitions = baselineRepetitions
        self.candidateRepetitions = candidateRepetitions
        self.verdict = verdict
        self.reason = reason
    }
}
