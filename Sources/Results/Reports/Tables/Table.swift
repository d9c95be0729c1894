package import TrialModel

/// A column of a printed table about rows of one type, declared once: its header, its name and its cells.
package struct TableColumn<Row> {
    let head: Table.Column
    let cell: (Row) -> TableCell

    /// - Parameters:
    ///   - header: the header for people.
    ///   - name: the name for programs; `nil` for the header.
    ///   - isSpare: whether the column may be left out on a narrow terminal.
    package init(
        _ header: String, name: String? = nil, _ alignment: Alignment = .left, isSpare: Bool = false,
        cell: @escaping (Row) -> TableCell
    ) {
        head = Table.Column(header: header, name: name ?? header, alignment: alignment, isSpare: isSpare)
        self.cell = cell
    }

    private init(_ head: Table.Column, _ cell: @escaping (Row) -> TableCell) { (self.head, self.cell) = (head, cell) }

    /// The columns of a part of each row.
    package static func of<Part>(_ part: @escaping (Row) -> Part, _ columns: [TableColumn<Part>]) -> [TableColumn] {
        columns.map { column in TableColumn(column.head) { column.cell(part($0)) } }
    }
}

extension TableColumn where Row: ResultRow {
    /// The columns of the file that the rows are from.
    package static var ofFile: [TableColumn] {
        Row.columns.map { column in TableColumn(column.name) { TableCell(column.cell($0), in: column.type) } }
    }
}

/// A cell of a printed table: a text for people, a value for programs. One of a figure that was not measured is empty.
package struct TableCell: Hashable, Sendable {
    /// The value for programs.
    package enum Value: Hashable, Sendable {
        /// Not measured.
        case none
        case text(String)
        case integer(UInt64)
        /// A number, and how many decimals CSV shows of it.
        case number(Double, places: Int)

        /// The value in CSV.
        package var text: String {
            switch self {
            case .none: ""
            case .text(let text): text
            case .integer(let number): String(number)
            case .number(let number, let places): DecimalText.fixed(number, places: places)
            }
        }
    }

    /// The text for people, with a unit.
    package var text: String
    /// The value for programs.
    package var value: Value

    package init(_ text: String, value: Value) {
        self.text = text
        self.value = value
    }

    /// The cell of a result file.
    fileprivate init(_ text: String, in type: ColumnType) {
        let places = text.split(separator: ".").dropFirst().first?.count ?? 0
        let value: Value? =
            switch type {
            case _ where text.isEmpty && type != .text: Value.none
            case .text: nil
            case .integer: UInt64(text).map { .integer($0) }
            case .ratio, .decimal: DecimalText.parse(text).map { .number($0, places: places) }
            }
        self.init(text, value: value ?? .text(text))
    }

    /// Not measured.
    package static var empty: TableCell { TableCell("", value: .none) }

    /// A text, the same for people and programs.
    package static func text(_ text: String?) -> TableCell { text.map { TableCell($0, value: .text($0)) } ?? .empty }

    /// Whether something is so.
    package static func word(_ isSo: Bool) -> TableCell { .text(isSo ? "yes" : "no") }

    /// A whole number, the same for people and programs.
    package static func integer(_ number: UInt64?) -> TableCell { whole(number, String.init) }

    /// A count.
    package static func count(_ value: UInt64?) -> TableCell { whole(value, Quantity.count) }

    /// A number of bytes.
    package static func bytes(_ value: UInt64?) -> TableCell { whole(value, Quantity.bytes) }

    /// A time in nanoseconds.
    package static func duration(_ value: UInt64?) -> TableCell { whole(value, Quantity.duration) }

    /// A ratio from 0 to 1, in per cent.
    package static func ratio(_ value: Double?) -> TableCell { number(value, places: 6, Quantity.percent) }

    /// A rate per second.
    package static func rate(_ value: Double?) -> TableCell { number(value, places: 3, Quantity.rate) }

    /// A number with decimals; empty for one that is not finite.
    package static func decimal(_ value: Double?, places: Int, ofValue: Int? = nil) -> TableCell {
        guard let value, value.isFinite else { return .empty }
        return number(value, places: ofValue ?? places) { DecimalText.fixed($0, places: places) }
    }

    /// A number with its text for people, and the decimals of its value.
    package static func number(_ value: Double?, places: Int, _ text: (Double) -> String) -> TableCell {
        value.map { TableCell(text($0), value: .number($0, places: places)) } ?? .empty
    }

    private static func whole(_ value: UInt64?, _ text: (UInt64) -> String) -> TableCell {
        value.map { TableCell(text($0), value: .integer($0)) } ?? .empty
    }
}

/// A table, printed in the format that ``TableFormat`` names.
package struct Table: Hashable, Sendable {
    /// A column without its cells; see ``TableColumn``.
    package struct Column: Hashable, Sendable {
        package let header: String
        package let name: String
        let alignment: Alignment
        let isSpare: Bool

        /// Whether numbers are aligned at the right.
        package var isOfNumbers: Bool { alignment == .right }

        /// Whether the column names the strategy that a row is about.
        package var isOfStrategies: Bool { ["strategy", "policy"].contains(name) }
    }

    /// The subject of the table; `nil` where it needs no title.
    package var title: String?
    /// How to read the table, in a line below the title.
    package var caption: String?
    /// The columns, from left to right.
    package private(set) var columns: [Column]
    /// Rows with one cell for each column.
    package var rows: [[TableCell]]
    /// Lines below the table, such as why a strategy crashed.
    package var notes: [String]

    package init<Row>(
        title: String? = nil, caption: String? = nil, of rows: [Row], _ columns: [TableColumn<Row>],
        notes: [String] = []
    ) {
        self.title = title
        self.caption = caption
        self.columns = columns.map(\.head)
        self.rows = rows.map { row in columns.map { $0.cell(row) } }
        self.notes = notes
    }

    /// The table with the columns for which a condition on column and cells holds.
    package func filteringColumns(_ isIncluded: (Column, [TableCell]) -> Bool) -> Table {
        let kept = columns.indices.filter { index in isIncluded(columns[index], rows.map { $0[index] }) }
        var table = self
        table.columns = kept.map { columns[$0] }
        table.rows = rows.map { row in kept.map { row[$0] } }
        return table
    }

    /// The table without empty columns.
    package var withoutEmptyColumns: Table { filteringColumns { $1.contains { !$0.text.isEmpty } } }
}

/// The output format of a verb: the values of `--format`.
package enum TableFormat: String, Codable, Hashable, Sendable, CaseIterable {
    /// Aligned columns for a terminal.
    case table
    /// RFC 4180, with values for programs and without notes.
    case csv
    /// A list of objects, with values for programs and without notes.
    case json
    /// A table of GitHub's Markdown.
    case markdown
}

extension Table {
    /// The table as text, with a line end.
    ///
    /// - Parameter width: the columns of the terminal; `nil` means no limit.
    package func rendered(as format: TableFormat, width: Int? = nil) -> String {
        [self].rendered(as: format, width: width)
    }
}

extension [Table] {
    /// The tables as one text, with a line end.
    ///
    /// CSV and JSON can't hold several tables: there the titles become the first column, `table`, and all tables must
    /// have the same columns.
    package func rendered(as format: TableFormat, width: Int? = nil) -> String {
        switch format {
        case .table: map { TextTable.render($0, width: width) }.joined(separator: "\n")
        case .markdown: map(MarkdownTable.render).joined(separator: "\n")
        case .csv: MachineTable.csv(self)
        case .json: MachineTable.json(self)
        }
    }
}
