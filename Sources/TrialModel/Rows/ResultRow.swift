/// A row of one of the result files. A row declares its columns where its type is; docstrings of properties say only what
/// the meaning of their column leaves out.
package protocol ResultRow: Codable, Hashable, Sendable {
    /// A row with nothing in it, to be filled from cells.
    static var blank: Self { get }
    /// The columns in the order of the file.
    static var columns: [Column<Self>] { get }
}

extension ResultRow {
    /// The names in the header, in order.
    package static var columnNames: [String] { columns.map(\.name) }

    /// The same row with other values.
    package func with(_ change: (inout Self) -> Void) -> Self {
        var row = self
        change(&row)
        return row
    }
}

/// What the rows about a phase of a trial start with.
package struct RowKey: Codable, Hashable, Sendable {
    /// The trial the row belongs to.
    package var trial: TrialIdentity
    /// The phase's name.
    package var phase: String

    package init(trial: TrialIdentity, phase: String) {
        self.trial = trial
        self.phase = phase
    }

    static let blank = RowKey(trial: .blank, phase: "")
}

extension TrialIdentity {
    static let blank = TrialIdentity(scenario: "", strategy: "", repetition: 1)
}

/// A row about a phase of a trial.
package protocol PhaseRow: ResultRow {
    /// What every such row starts with.
    var key: RowKey { get set }
}

extension PhaseRow {
    /// The columns that the files of a run share.
    static var keyColumns: [Column<Self>] {
        [
            Column("scenario", "The scenario's name.", \.key.trial.scenario.name),
            Column("strategy", "The strategy's name.", \.key.trial.strategy),
            .repetition("Which run of the same trial, from 1; all use the same seed.", \.key.trial.repetition),
            Column("phase", "The phase's name.", \.key.phase),
        ]
    }

    /// The columns that they share at the end.
    static var sweptColumns: [Column<Self>] { Column.swept(\.key.trial.scenario) }
}
