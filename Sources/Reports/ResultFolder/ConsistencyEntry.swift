package import TrialModel

/// A row of `consistency.csv`, and the example that gets a file of its own.
package struct ConsistencyEntry: Hashable, Sendable {
    package var row: ConsistencyRow
    /// The example as JSON; `nil` where nothing is inconsistent.
    package var example: String?

    package init(row: ConsistencyRow, example: String? = nil) {
        self.row = row
        self.example = example
    }

    /// The folder of the examples.
    package static let folder = "consistency"

    /// The path of a row's example, relative to the result folder.
    package static func path(of row: ConsistencyRow) -> String { "\(folder)/\(fileName(of: row))" }

    static func fileName(of row: ConsistencyRow) -> String {
        "\(row.trial.scenario)-\(row.trial.strategy)-\(row.trial.repetition)-\(row.promise.rawValue).json"
    }
}
