import TrialModel

/// Tables of GitHub's Markdown.
enum MarkdownTable {
    /// The table with a line end; characters with a meaning in Markdown or HTML are escaped.
    static func render(_ table: Table) -> String {
        var lines: [String] = []
        if let title = table.title { lines += ["### \(escaped(title))", ""] }
        if let caption = table.caption { lines += [escaped(caption), ""] }
        lines.append(line(table.columns.map { escaped($0.header) }))
        lines.append(line(table.columns.map { $0.alignment == .left ? "---" : "---:" }))
        for row in table.rows { lines.append(line(row.map { escaped(DisplayWidth.cut($0.text, to: cellWidth)) })) }
        for note in table.notes { lines += ["", escaped(note)] }
        return lines.joined(separator: "\n") + "\n"
    }

    /// In columns of text; a longer cell is cut, so that a comment has room for the others.
    private static let cellWidth = 300

    private static func line(_ cells: [String]) -> String {
        "| " + cells.joined(separator: " | ") + " |"
    }

    private static func escaped(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            MarkdownText.escaped(line.hasSuffix("\r") ? String(line.dropLast()) : String(line))
        }.joined(separator: "<br>")
    }
}

/// Texts in Markdown.
package enum MarkdownText {
    /// The text on one line, with signs of Markdown and HTML escaped. Backticks mark code; a bar ends a cell even inside
    /// of them.
    package static func escaped(_ text: String) -> String {
        DisplayWidth.harmless(text).unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\\", "|", "*", "[", "]", "~", "#", "@": result += "\\" + String(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
