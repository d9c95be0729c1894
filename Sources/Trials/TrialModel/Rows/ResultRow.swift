/// A row of one of the result files. Each type of row declares its file, and its columns next to its properties;
/// comments of properties add only what the columns' meanings leave out.
package protocol ResultRow: Changeable, Equatable, Sendable {
    /// The name of the file.
    static var file: String { get }
    /// The columns in the order of the file.
    static var columns: [Column<Self>] { get }
    /// How many of the first columns identify a row: together with the tier and the swept values, no two rows have the
    /// same texts in them. 0 for rows that do not belong to a trial.
    static var keyColumnCount: Int { get }
    /// How many of the first columns every file must have, because a row means nothing without them.
    static var leadingColumnCount: Int { get }

    /// Makes an empty row, to be filled from cells.
    init()
}

extension ResultRow {
    package static var keyColumnCount: Int { 0 }
    package static var leadingColumnCount: Int { max(keyColumnCount, 2) }

    /// The columns that a file of an earlier version may lack: all but the leading ones, and those that can't be empty,
    /// such as a status or a count. A column that is added later must be one of them, so that old files stay readable.
    package static var optionalColumns: [Column<Self>] {
        columns.dropFirst(leadingColumnCount).filter { column in
            var row = Self()
            return column.read(column.textWhereMissing, &row)
        }
    }

    /// The cells of the columns that a file may lack, by their names.
    package static var cellsWhereMissing: [String: String] {
        Dictionary(optionalColumns.map { ($0.name, $0.textWhereMissing) }) { first, _ in first }
    }

    /// The names in the header, in order.
    package static var columnNames: [String] { columns.map(\.name) }

    /// The column that shows a property: tables and metrics refer to a figure of a file by it.
    package static func column(of property: PartialKeyPath<Self>) -> Column<Self> {
        guard let column = columns.first(where: { $0.path.map { $0 == property } == true }) else {
            preconditionFailure("\(file) has no column of \(property)")
        }
        return column
    }

    /// The texts of the row's cells, not yet quoted, in the order of the columns.
    package var cells: [String] { Self.columns.map { $0.cell(self) } }

    /// A row from the texts of its cells, in the order of the columns.
    package init(cells: [String]) throws(CellMistake) {
        self.init()
        for (column, text) in zip(Self.columns, cells) where !column.read(text, &self) {
            let kind = column.type == .text ? "word of this column" : column.type.rawValue
            let allowed = column.words.isEmpty ? "no \(kind)" : "none of \(column.words.joined(separator: ", "))"
            throw CellMistake(description: "\(column.name): \"\(text)\" is \(allowed)")
        }
    }
}

/// A text that is not valid in its column.
package struct CellMistake: Error, Sendable {
    /// Column, text and what is allowed, in one line.
    package let description: String
}

/// A trial: one strategy under one scenario, once; or several trials that differ in the rest only.
package struct TrialIdentity: Codable, Hashable, Sendable {
    /// The scenario, or the point of its sweep.
    package var scenario: ScenarioPoint
    /// The strategy's name; empty for all strategies.
    package var strategy: String
    /// The number of the repetition, from 1; 0 for all repetitions.
    package var repetition: Int

    package init(scenario: ScenarioPoint = "", strategy: String = "", repetition: Int = 0) {
        self.scenario = scenario
        self.strategy = strategy
        self.repetition = repetition
    }
}

extension TrialIdentity {
    /// Its strategy in its scenario, in all repetitions.
    package var place: TrialIdentity { TrialIdentity(scenario: scenario, strategy: strategy) }
    /// The trials of all strategies in its repetition of the scenario.
    package var block: TrialIdentity { TrialIdentity(scenario: scenario, repetition: repetition) }
}

/// The key columns of all rows about a phase of a trial, or about the phase in several trials.
package struct RowKey: Codable, Hashable, Sendable {
    /// The trial or trials.
    package var trial: TrialIdentity
    /// The phase's name.
    package var phase: String

    package init(trial: TrialIdentity = TrialIdentity(), phase: String = "") {
        self.trial = trial
        self.phase = phase
    }

    /// A phase of a strategy, in all repetitions.
    package init(scenario: ScenarioPoint, strategy: String, phase: String) {
        self.init(trial: TrialIdentity(scenario: scenario, strategy: strategy), phase: phase)
    }
}

extension RowKey {
    package var scenario: ScenarioPoint { trial.scenario }
    package var strategy: String { trial.strategy }
    package var repetition: Int { trial.repetition }

    /// The phase of its strategy, in all repetitions.
    package var ofStrategy: RowKey { RowKey(trial: trial.place, phase: phase) }
    /// The phase of its scenario, of all strategies in all repetitions.
    package var ofScenario: RowKey { RowKey(trial: TrialIdentity(scenario: scenario), phase: phase) }
}

extension RowKey: CustomStringConvertible {
    /// As text, `lru in scan, steady, repetition 2`.
    package var description: String {
        "\(strategy) in \(scenario), \(phase)" + (trial.repetition > 0 ? ", repetition \(trial.repetition)" : "")
    }
}

/// A row about a phase of a trial.
package protocol PhaseRow: ResultRow {
    /// The row's key columns.
    var key: RowKey { get set }
    /// The row about a phase as a whole; `nil` where there is none.
    static func main(of result: PhaseResult) -> Self?
}

extension PhaseRow {
    package static var keyColumnCount: Int { 4 }

    package init(key: RowKey) {
        self.init()
        self.key = key
    }

    /// The first columns, which the files of a run share.
    static var keyColumns: [Column<Self>] {
        [
            Column("scenario", "The scenario's name.", \.key.trial.scenario.name),
            Column("strategy", "The strategy's name.", \.key.trial.strategy),
            .repetition(
                "The repetition of the trial, from 1; where a count decides, each has a seed of its own.",
                \.key.trial.repetition),
            Column("phase", "The phase's name.", \.key.phase),
        ]
    }

    /// The last columns, which the files of a run share.
    static var sweptColumns: [Column<Self>] { Column.swept(\.key.trial.scenario) }
}

/// A row that is part of a phase's result, and is written before the phase's row in `trials.csv`.
package protocol MeasurementRow: PhaseRow {
    /// A property of a result that holds rows of this type.
    typealias Place = any WritableKeyPath<PhaseResult, [Self]> & Sendable

    /// The property of a phase's result.
    static var place: Place { get }
    /// Whether every run of a scenario has the file; of any scenario when it is `nil`.
    static func isExpected(of scenario: Scenario?) -> Bool
}

extension MeasurementRow {
    package static func isExpected(of _: Scenario?) -> Bool { true }
    package static func main(of result: PhaseResult) -> Self? { result[keyPath: place].first }
}
