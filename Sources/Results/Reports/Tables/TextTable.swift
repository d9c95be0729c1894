import TrialModel

/// Tables for terminals: columns aligned by the display width of characters, numbers to the right.
enum TextTable {
    private static let gap = "  "
    /// A narrower column of text is unreadable; a table wider than the terminal is better.
    private static let narrowest = 8
    /// To make room for a spare column, text is wrapped to no less than this width.
    private static let comfortable = 40

    /// The table with a line end. If it is wider than `width`, spare columns are left out, the last one first; then
    /// text is wrapped.
    static func render(_ table: Table, width: Int?) -> String {
        let table = fitting(table, width: width)
        let cells = table.rows.map { row in row.map { DisplayWidth.harmless($0.text) } }
        let widths = columnWidths(table.columns, cells, width: width)
        var lines: [String] = []
        lines += text(table.title, width: width)
        lines += text(table.caption, width: width)
        lines += head(table.columns, widths)
        lines.append(widths.map { String(repeating: "─", count: $0) }.joined(separator: gap))
        for row in cells { lines += line(table.columns, row, widths) }
        for note in table.notes { lines += text(note, width: width) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func fitting(_ table: Table, width: Int?) -> Table {
        var table = table.filteringColumns { !$0.isSpare || $1.contains { !$0.text.isEmpty } }
        guard let width else { return table }
        var leftOut: [String] = []
        while let spare = table.columns.last(where: \.isSpare) {
            let cells = table.rows.map { row in row.map { DisplayWidth.harmless($0.text) } }
            let needed = columnWidths(table.columns, cells, width: width, narrowest: comfortable).reduce(
                gap.count * (table.columns.count - 1), +)
            if needed <= width { break }
            leftOut.insert(spare.header, at: 0)
            table = table.filteringColumns { column, _ in column != spare }
        }
        if !leftOut.isEmpty {
            table.notes.append("no room in \(width) columns for: \(leftOut.joined(separator: ", "))")
        }
        return table
    }

    private static func text(_ text: String?, width: Int?) -> [String] {
        guard let text = text.map(DisplayWidth.harmless), !text.isEmpty else { return [] }
        guard let width else { return [text] }
        return DisplayWidth.wrapped(text, to: width)
    }

    /// The lines of the headers, which may have several each.
    private static func head(_ columns: [Table.Column], _ widths: [Int]) -> [String] {
        let heads = columns.map(lines(of:))
        return (0..<(heads.map(\.count).max() ?? 0)).flatMap { index in
            line(columns, heads.map { index < $0.count ? $0[index] : "" }, widths)
        }
    }

    private static func lines(of column: Table.Column) -> [String] {
        column.header.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The lines of one row: more than one when a cell is wrapped.
    private static func line(_ columns: [Table.Column], _ cells: [String], _ widths: [Int]) -> [String] {
        let wrapped = zip(cells, zip(columns, widths)).map { cell, layout in
            layout.0.alignment == .left ? DisplayWidth.wrapped(cell, to: layout.1) : [cell]
        }
        return (0..<(wrapped.map(\.count).max() ?? 1)).map { index in
            let parts = zip(wrapped, zip(columns, widths)).map { lines, layout in
                DisplayWidth.padded(index < lines.count ? lines[index] : "", to: layout.1, layout.0.alignment)
            }
            var line = parts.joined(separator: gap)
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// As wide as the widest cell; then the widest text columns shrink until the table fits.
    private static func columnWidths(
        _ columns: [Table.Column], _ cells: [[String]], width: Int?, narrowest: Int = narrowest
    ) -> [Int] {
        var widths = columns.enumerated().map { index, column in
            cells.reduce(lines(of: column).map(DisplayWidth.of).max() ?? 0) { max($0, DisplayWidth.of($1[index])) }
        }
        guard let width else { return widths }
        let gaps = gap.count * max(0, columns.count - 1)
        var excess = widths.reduce(gaps, +) - width
        while excess > 0 {
            let shrinkable = columns.indices.filter { columns[$0].alignment == .left && widths[$0] > narrowest }
            guard let widest = shrinkable.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }
}
