/// Where a column's text stands.
package enum Alignment: Sendable {
    /// Text; wrapped when a terminal is too narrow.
    case left
    /// Numbers; never wrapped.
    case right
}

/// A column of a printed table.
package struct TableColumn: Hashable, Sendable {
    /// What a person reads on top.
    package var header: String
    /// What a program reads: the column's name in CSV and the key in JSON.
    package var name: String
    /// Where the text stands.
    package var alignment: Alignment
    /// Whether a narrow terminal may go without the column.
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

    /// What a person reads, with a unit.
    package var text: String
    /// What a program reads.
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

/// A table to be printed as ``TableFormat`` says.
package struct Table: Hashable, Sendable {
    /// What the table is about; `nil` for a table that stands alone.
    package var title: String?
    /// How to read it, in a line below the title.
    package var caption: String?
    /// From left to right.
    package var columns: [TableColumn]
    /// Rows with one cell for each column; missing cells are empty, further ones are left out.
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

/// How a verb prints: the values of `--format`.
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
    /// - Parameter width: how many columns a terminal has; `nil` means as wide as it takes.
    package func rendered(as format: TableFormat, width: Int? = nil) -> String {
        [self].rendered(as: format, width: width)
    }
}

extension [Table] {
    /// The tables as one text, with a line end.
    ///
    /// CSV and JSON can't hold several tables side by side: there the titles become the first column, `table`, and
    /// all tables must have the same columns.
    package func rendered(as format: TableFormat, width: Int? = nil) -> String {
        switch format {
        case .table: map { TextTable.render($0, width: width) }.joined(separator: "\n")
        case .markdown: map(MarkdownTable.render).joined(separator: "\n")
        case .csv: MachineTable.csv(self)
        case .json: MachineTable.json(self)
        }
    }
}
