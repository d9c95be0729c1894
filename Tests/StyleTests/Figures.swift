import Foundation

/// Fills the figures of a document from the reference results, so that none is typed by hand.
///
/// A comment in the Markdown says where a figure is from: the file from the package's root, and the heading above it.
///
/// | comment | what follows it |
/// | --- | --- |
/// | `<!-- table: file "heading" \| columns \| rows -->` on a line | the first table under the heading: these columns, and the rows whose `strategy`, or else first cell, is named. `*` is all of them |
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
            if let match = line.wholeMatch(of: #/<!-- table: (\S+) "([^"]+)" \| ([^|]+) \| ([^|]+) -->/#) {
                while index < document.count, document[index].hasPrefix("|") { index += 1 }
                let table = try table(in: String(match.1), under: String(match.2))
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
        let pattern = #/(<!-- figure: (\S+) "([^"]+)" \| ([^|]+) \| ([^|]+) -->)[^<]*<!-- end -->/#
        return try line.replacing(pattern) { match in
            let table = try table(in: String(match.2), under: String(match.3))
            let cell = try Self.part(of: table, columns: [String(match.4)], rows: [String(match.5)]).rows[0][0]
            return "\(match.1)\(cell)<!-- end -->"
        }
    }

    // MARK: Sources

    private func table(in path: String, under heading: String) throws -> Table {
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
        let name = table.header.firstIndex(of: "strategy") ?? 0
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

    private static func cells(_ line: String) -> [String] {
        line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private static func list(_ text: Substring) -> [String] {
        text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
