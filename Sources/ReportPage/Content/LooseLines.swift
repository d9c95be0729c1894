import Reports

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
