package import TrialModel

/// What kind of text stands in the cells of a column.
package enum ColumnType: String, Codable, Hashable, Sendable {
    /// Any text; quoted where CSV needs it.
    case text
    /// A whole number, without separators.
    case integer
    /// From 0 to 1, with six decimals.
    case ratio
    /// A number with decimals and a point.
    case decimal
}

/// A column without its row type: what `list columns` prints.
package struct ColumnDescription: Codable, Hashable, Sendable {
    /// The file's name, such as `latency.csv`.
    package var file: String
    /// The name in the header.
    package var name: String
    /// The unit, such as `ns` or `bytes`; empty where there is none.
    package var unit: String
    /// What kind of text stands in a cell.
    package var type: ColumnType
    /// Whether every run of the same trials has the same cells; see ``ColumnCatalog/repeatingColumns``.
    package var repeats: Bool
    /// What the column says, in a sentence.
    package var meaning: String
}

/// A column of a result file, declared once: its header, its explanation, and how a cell is written and read.
package struct Column<Row: Sendable>: Sendable {
    /// The name in the header.
    package let name: String
    /// The unit; empty where there is none.
    package let unit: String
    /// What kind of text stands in a cell.
    package let type: ColumnType
    /// What the column says, in a sentence.
    package let meaning: String
    /// The text of the cell, not yet quoted; empty means not measured.
    package let cell: @Sendable (Row) -> String
    /// Puts the text of a cell into a row; false when the text can't stand in this column.
    package let read: @Sendable (String, inout Row) -> Bool

    package init(
        _ name: String, unit: String = "", type: ColumnType, _ meaning: String,
        cell: @escaping @Sendable (Row) -> String, read: @escaping @Sendable (String, inout Row) -> Bool
    ) {
        self.name = name
        self.unit = unit
        self.type = type
        self.meaning = meaning
        self.cell = cell
        self.read = read
    }
}

extension Column {
    /// A column that shows one property as it is.
    init<Value: CellValue>(
        _ name: String, unit: String = "", _ meaning: String, _ path: any WritableKeyPath<Row, Value> & Sendable
    ) {
        self.init(name, unit: unit, type: Value.columnType, meaning) {
            $0[keyPath: path].cellText
        } read: { text, row in
            guard let value = Value(cellText: text) else { return false }
            row[keyPath: path] = value
            return true
        }
    }

    /// A column of numbers with a fixed count of decimals; a number that is not finite is an empty cell.
    static func decimal(
        _ name: String, unit: String, places: Int, _ meaning: String,
        _ path: any WritableKeyPath<Row, Double?> & Sendable
    ) -> Column {
        Column(name, unit: unit, type: .decimal, meaning) {
            $0[keyPath: path].map { DecimalText.fixed($0, places: places) } ?? ""
        } read: { text, row in
            guard !text.isEmpty else { return true }
            guard let value = DecimalText.parse(text) else { return false }
            row[keyPath: path] = value
            return true
        }
    }
}

/// A row of one of the result files.
package protocol ResultRow: Sendable {
    /// A row with nothing in it, to be filled from cells.
    static var blank: Self { get }
    /// The columns in the order of the file.
    static var columns: [Column<Self>] { get }
}

/// A row about a phase of a trial.
package protocol PhaseRow: ResultRow {
    /// The columns that every such row starts with.
    var key: RowKey { get set }
}

extension PhaseRow {
    /// The key columns that the files of a run share.
    static var keyColumns: [Column<Self>] {
        [
            Column("scenario", "The scenario's name.", \.key.trial.scenario),
            Column("strategy", "The strategy's name.", \.key.trial.strategy),
            Column(
                "repetition", type: .integer, "Which run of the same trial, from 1; all use the same seed.",
                cell: { String($0.key.trial.repetition) },
                read: { text, row in
                    guard let number = Int(cellText: text), number >= 1 else { return false }
                    row.key.trial.repetition = number
                    return true
                }
            ),
            Column("phase", "The phase's name.", \.key.phase),
        ]
    }
}

extension RowKey {
    /// A key with nothing in it.
    static var blank: RowKey {
        RowKey(trial: TrialIdentity(scenario: "", strategy: "", repetition: 1), phase: "")
    }
}
