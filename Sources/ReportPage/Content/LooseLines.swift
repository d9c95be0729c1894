import Reports

/// A row of `comparison.csv`: two figures, their ratio, and what it says.
package struct ComparisonLine: Hashable, Sendable {
    package var scenario: String
    package var strategy: String
    /// The measured phase; empty where a figure is of all of them.
    package var phase: String
    package var metric: String
    /// As the file has it.
    package var baseline: String
    /// As the file has it.
    package var candidate: String
    package var ratio: Double?
    package var ratioLow: Double?
    package var ratioHigh: Double?
    /// `better`, `worse`, `same` or `inconclusive`.
    package var verdict: String

    /// Reads a row by the names of its columns, so that further columns do no harm.
    ///
    /// `nil` without a scenario, a metric or a verdict.
    package init?(_ cells: [String: String]) {
        guard let scenario = cells["scenario"], let metric = cells["metric"], let verdict = cells["verdict"],
            !metric.isEmpty, !verdict.isEmpty
        else { return nil }
        self.scenario = scenario
        self.metric = metric
        self.verdict = verdict
        strategy = cells["strategy"] ?? ""
        phase = cells["phase"] ?? ""
        baseline = cells["baseline"] ?? ""
        candidate = cells["candidate"] ?? ""
        ratio = cells["ratio"].flatMap(DecimalText.parse)
        ratioLow = cells["ratio_low"].flatMap(DecimalText.parse)
        ratioHigh = cells["ratio_high"].flatMap(DecimalText.parse)
    }
}

/// A row of `consistency.csv`: whether a strategy kept a promise.
package struct PromiseLine: Hashable, Sendable {
    package var scenario: String
    package var strategy: String
    package var promise: String
    /// `consistent`, `inconsistent` or `unknown`.
    package var verdict: String
    /// The first violation; may be empty.
    package var example: String

    /// Reads a row by the names of its columns; `nil` without a strategy, a promise or a verdict.
    package init?(_ cells: [String: String]) {
        guard let strategy = cells["strategy"], let promise = cells["promise"], let verdict = cells["verdict"],
            !verdict.isEmpty
        else { return nil }
        self.strategy = strategy
        self.promise = promise
        self.verdict = verdict
        scenario = cells["scenario"] ?? ""
        example = cells["example"] ?? ""
    }
}
