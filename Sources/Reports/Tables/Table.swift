/// The horizontal alignment of a column.
package enum Alignment: Sendable {
    /// Text; wrapped when a terminal is too narrow.
    case left
    /// Numbers; never wrapped.
    case right
}

/// A column of a printed table.
package struct TableColumn: Hashable, Sendable {
    /// The header for people.
    package var header: String
    /// The name for programs: the column's name in CSV and the key in JSON.
    package var name: String
    /// The alignment of the text.
    package var alignment: Alignment
    /// Whether the column may be left out on a narrow terminal.
    package var isSpare: Bool

    package init(_ header: String, name: String? = nil, _ alignment: Alignment = .left, isSpare: Bool = false) {
        self.header = header
        self.name = name ?? header
        self.alignment = alignment
        self.isSpare = isSpare
    }
}

/// A cell of a printed table: a text for people, a value for programs.
package struct TableCell: Hashable, Sendable {
    /// The value for programs.
    package enum Value: Hashable, Sendable {
        /// Not measured.
        case none
        case text(String)
        case integer(UInt64)
        /// A number, and how many decimals CSV shows of it.
        case number(Double, places: Int)
    }

    /// The text for people, with a unit.
    package var text: String
    /// The value for programs.
    package var value: Value

    package init(_ text: String, value: Value) {
        self.text = text
        self.value = value
    }

    /// A text, the same for people and programs.
    package static func text(_ text: String) -> TableCell { TableCell(text, value: .text(text)) }

    /// A whole number, the same for people and programs.
    package static func integer(_ number: UInt64) -> TableCell { TableCell(String(number), value: .integer(number)) }

    /// Not measured.
    package static var empty: TableCell { TableCell("", value: .none) }
}

/// A table, printed in the format that ``TableFormat`` names.
package struct Table: Hashable, Sendable {
    /// The subject of the table; `nil` where it needs no title.
    package var title: String?
    /// How to read the table, in a line below the title.
    package var caption: String?
    /// The columns, from left to right.
    package var columns: [TableColumn]
    /// Rows with one cell for each column; missing cells are empty, extra ones are left out.
    package var rows: [[TableCell]]
    /// Lines below the table, such as why a strategy crashed.
    package var notes: [String]

    package init(
        title: String? = nil, caption: String? = nil, columns: [TableColumn], rows: [[TableCell]],
        notes: [String] = []
    ) {
        self.title = title
        self.caption = caption
        self.columns = columns
        self.rows = rows.map { row in
            let missing = max(0, columns.count - row.count)
            return Array(row.prefix(columns.count)) + Array(repeating: .empty, count: missing)
        }
        self.notes = notes
    }
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

/// Cells of figures that may be missing.
extension TableCell {
    /// A ratio from 0 to 1, in per cent.
    package static func ratio(_ value: Double?) -> TableCell {
        value.map { TableCell(Quantity.percent($0), value: .number($0, places: 6)) } ?? .empty
    }

    /// A count.
    package static func count(_ value: UInt64?) -> TableCell {
        value.map { TableCell(Quantity.count($0), value: .integer($0)) } ?? .empty
    }

    /// A number of bytes.
    package static func bytes(_ value: UInt64?) -> TableCell {
        value.map { TableCell(Quantity.bytes($0), value: .integer($0)) } ?? .empty
    }

    /// A time in nanoseconds.
    package static func duration(_ value: UInt64?) -> TableCell {
        value.map { TableCell(Quantity.duration(nanoseconds: $0), value: .integer($0)) } ?? .empty
    }
}
