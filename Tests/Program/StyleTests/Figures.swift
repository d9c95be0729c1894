import Foundation

/// Fills the figures of a document from the reference results, so that none is typed by hand.
///
/// A comment in the Markdown says where a figure is from: the file from the package's root, and the heading above it. In a CSV
/// file the column `table` takes the place of headings; without a heading all rows are meant.
///
/// | comment | what follows it |
/// | --- | --- |
/// | `<!-- table: file "heading" \| columns \| rows -->` on a line | the first table under the heading: these columns, and the rows whose `strategy`, or else first text, is named. `*` is all of them that are not empty |
/// | `<!-- code: file "heading" -->` on a line | the first block of code under the heading |
/// | `<!-- figure: file "heading" \| column \| row -->` in a line | one cell, up to `<!-- end -->` |
struct Figures {
    /// A comment that can't be followed, with the reason.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A table of Markdown; every row has as many cells as the header.
    struct Table: Equatable {
        var header: [String]
        var alignments: [String]
        var rows: [[String]]

        var lines: [String] { ([header, alignments] + rows).map { "| " + $0.joined(separator: " | ") + " |" } }
    }

    /// The lines of a file by its path from the package's root; `nil` when there is none.
    let read: (String) -> [String]?

    /// The document with every figure as the results have it. O(characters of the document and its sources).
    ///
    /// - Throws: ``Failure`` for a comment that names a file, heading, column or row that does not exist.
    func filled(_ document: [String]) throws -> [String] {
        var result: [String] = []
        var index = 0
        while index < document.count {
            let line = document[index]
            index += 1
            result.append(try filledInLine(line))
            if let match = line.wholeMatch(of: #/<!-- table: (\S+)(?: "([^"]+)")? \| ([^|]+) \| ([^|]+) -->/#) {
                while index < document.count, document[index].hasPrefix("|") { index += 1 }
                let table = try table(in: String(match.1), under: match.2.map(String.init))
                result += try Self.part(of: table, columns: Self.list(match.3), rows: Self.list(match.4)).lines
            } else if let match = line.wholeMatch(of: #/<!-- code: (\S+) "([^"]+)" -->/#) {
                if index < document.count, document[index].hasPrefix("```") {
                    index += 1
                    while index < document.count, document[index] != "```" { index += 1 }
                    index += 1
                }
                result += try code(in: String(match.1), under: String(match.2))
            }
        }
        return result
    }

    private func filledInLine(_ line: String) throws -> String {
        let pattern = #/(<!-- figure: (\S+)(?: "([^"]+)")? \| ([^|]+) \| ([^|]+) -->)[^<]*<!-- end -->/#
        return try line.replacing(pattern) { match in
            let table = try table(in: String(match.2), under: match.3.map(String.init))
            let cell = try Self.part(of: table, columns: [String(match.4)], rows: [String(match.5)]).rows[0][0]
            return "\(match.1)\(cell)<!-- end -->"
        }
    }

    // MARK: Sources

    private func table(in path: String, under heading: String?) throws -> Table {
        if path.hasSuffix(".csv") { return try data(in: path, of: heading) }
        guard let heading else { throw Failure(description: "\(path): a heading is missing") }
        let section = try section(of: path, under: heading)
        guard let start = section.firstIndex(where: { $0.hasPrefix("|") }) else {
            throw Failure(description: "\(path): there is no table under \"\(heading)\"")
        }
        let lines = section[start...].prefix { $0.hasPrefix("|") }.map(Self.cells)
        guard lines.count > 2, lines.allSatisfy({ $0.count == lines[0].count }) else {
            throw Failure(description: "\(path): the table under \"\(heading)\" has rows of different lengths, or none")
        }
        return Table(header: lines[0], alignments: lines[1], rows: Array(lines[2...]))
    }

    /// The rows of one table in a file of data, and the columns that have a value there. Numbers are on the right.
    private func data(in path: String, of name: String?) throws -> Table {
        guard let lines = read(path) else { throw Failure(description: "\(path): there is no such file") }
        // Lines of the program end with CR LF, which is one character.
        let all = lines.joined(separator: "\n").split(whereSeparator: \.isNewline).map { Self.values(String($0)) }
        guard let header = all.first, all.allSatisfy({ $0.count == header.count }) else {
            throw Failure(description: "\(path) has rows of different lengths, or none")
        }
        let column = header.firstIndex(of: "table")
        let rows = all.dropFirst().filter { row in name.map { row[column ?? 0] == $0 } ?? true }
        guard !rows.isEmpty, column != nil || name == nil else {
            throw Failure(description: "\(path): there is no table \"\(name ?? "")\"")
        }
        let used = header.indices.filter { index in index != column && rows.contains { !$0[index].isEmpty } }
        let alignments = used.map { index in
            rows.allSatisfy { $0[index].isEmpty || $0[index].contains(/^[−≤≥]? ?[0-9]/) } ? "---:" : "---"
        }
        return Table(
            header: used.map { header[$0] }, alignments: alignments,
            rows: rows.map { row in used.map { row[$0].replacing("|", with: "\\|") } })
    }

    private func code(in path: String, under heading: String) throws -> [String] {
        let section = try section(of: path, under: heading)
        guard let start = section.firstIndex(where: { $0.hasPrefix("```") }),
            let end = section[(start + 1)...].firstIndex(of: "```")
        else { throw Failure(description: "\(path): there is no block of code under \"\(heading)\"") }
        return Array(section[start...end])
    }

    /// The lines below a heading, up to the next one.
    private func section(of path: String, under heading: String) throws -> [String] {
        guard let lines = read(path) else { throw Failure(description: "\(path): there is no such file") }
        let isHeading = { (line: String) in line.wholeMatch(of: #/#+ (.+)/#).map { String($0.1) } }
        guard let start = lines.firstIndex(where: { isHeading($0) == heading }) else {
            throw Failure(description: "\(path): there is no heading \"\(heading)\"")
        }
        let rest = lines[(start + 1)...]
        return Array(rest[..<(rest.firstIndex { isHeading($0) != nil } ?? rest.endIndex)])
    }

    // MARK: Tables

    private static func part(of table: Table, columns: [String], rows: [String]) throws -> Table {
        let indices =
            try columns == ["*"]
            ? Array(table.header.indices)
            : columns.map { column in
                guard let index = table.header.firstIndex(of: column) else {
                    throw Failure(description: "there is no column \"\(column)\" among \(table.header)")
                }
                return index
            }
        let name = table.header.firstIndex(of: "strategy") ?? table.alignments.firstIndex(of: "---") ?? 0
        let chosen =
            try rows == ["*"]
            ? table.rows
            : rows.map { row in
                guard let found = table.rows.first(where: { $0[name] == row }) else {
                    throw Failure(description: "there is no row \"\(row)\" among \(table.rows.map { $0[name] })")
                }
                return found
            }
        return Table(
            header: indices.map { table.header[$0] }, alignments: indices.map { table.alignments[$0] },
            rows: chosen.map { row in indices.map { row[$0] } })
    }

    /// The values of a line of CSV.
    static func values(_ line: String) -> [String] {
        var values = [""]
        var isQuoted = false
        var previous: Character = ","
        for character in line {
            switch character {
            case "\"":
                // Two in a row are one.
                if !isQuoted, previous == "\"" { values[values.count - 1].append(character) }
                isQuoted.toggle()
            case "," where !isQuoted: values.append("")
            default: values[values.count - 1].append(character)
            }
            previous = character
        }
        return values
    }

    private static func cells(_ line: String) -> [String] {
        line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private static func list(_ text: Substring) -> [String] {
        text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
