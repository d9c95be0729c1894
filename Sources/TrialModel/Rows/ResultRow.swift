/// A row of one of the result files. Each row type declares its columns next to its properties; comments of properties
/// add only what the columns' meanings leave out.
package protocol ResultRow: Codable, Hashable, Sendable {
    /// An empty row, to be filled from cells.
    static var blank: Self { get }
    /// The columns in the order of the file.
    static var columns: [Column<Self>] { get }
}

extension ResultRow {
    /// The names in the header, in order.
    package static var columnNames: [String] { columns.map(\.name) }

    /// A copy of the row with changes.
    package func with(_ change: (inout Self) -> Void) -> Self {
        var row = self
        change(&row)
        return row
    }
}

/// The key columns of all rows about a phase of a trial.
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
    /// The row's key columns.
    var key: RowKey { get set }
}

extension PhaseRow {
    /// The first columns, which the files of a run share.
    static var keyColumns: [Column<Self>] {
        [
            Column("scenario", "The scenario's name.", \.key.trial.scenario.name),
            Column("strategy", "The strategy's name.", \.key.trial.strategy),
            .repetition("The repetition of the trial, from 1; all use the same seed.", \.key.trial.repetition),
            Column("phase", "The phase's name.", \.key.phase),
        ]
    }

    /// The last columns, which the files of a run share.
    static var sweptColumns: [Column<Self>] { Column.swept(\.key.trial.scenario) }
}
