package import TrialModel

/// A column without its row type, as `list columns` prints it.
package struct ColumnDescription: Sendable {
    /// The file's name, such as `latency.csv`.
    package var file: String
    /// The name in the header.
    package var name: String
    /// The unit, such as `ns` or `bytes`; empty where there is none.
    package var unit: String
    /// The type of a cell's text.
    package var type: ColumnType
    /// Whether every run of the same trials has the same cells; see ``Column/repeats``.
    package var repeats: Bool
    /// The meaning of the column, in a sentence.
    package var meaning: String
}

/// The columns of all result files.
package enum ColumnCatalog {
    /// Every column of every file, in the order of the files.
    package static let descriptions: [ColumnDescription] = ResultFile.allCases.flatMap { describe($0.rowType, in: $0) }

    /// What `list columns` prints.
    package static var table: Table {
        Table(
            of: descriptions,
            [
                TableColumn("file") { .text($0.file) }, TableColumn("column") { .text($0.name) },
                TableColumn("unit") { .text($0.unit) }, TableColumn("type") { .text($0.type.rawValue) },
                TableColumn("repeats") { .text($0.repeats ? "yes" : "") }, TableColumn("meaning") { .text($0.meaning) },
            ])
    }

    private static func describe<Row: ResultRow>(_: Row.Type, in file: ResultFile) -> [ColumnDescription] {
        Row.columns.map {
            ColumnDescription(
                file: file.rawValue, name: $0.name, unit: $0.unit, type: $0.type, repeats: $0.repeats,
                meaning: $0.meaning)
        }
    }
}
