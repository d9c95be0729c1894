import Foundation
import Testing

/// The documents as a reader sees them rendered.
@Suite(.timeLimit(.minutes(1)))
struct MarkdownTests {
    static let documents =
        ["README.md", "Results/README.md"].compactMap { SourceFile(path: $0) }
        + SourceFile.all(
            in: ".github", "Sources", "Tests", "Scenarios", "scripts", "Results/reference", ending: ".md")

    @Test func `the rules look at the package's documents`() {
        #expect(Self.documents.count > 20)
        #expect(Self.documents.prefix(2).map(\.path) == ["README.md", "Results/README.md"])
    }

    // A row that an empty line parts from its header is rendered as text.
    @Test(arguments: documents) func `every row of a table is below a header and has its cells`(document: SourceFile) {
        #expect(Self.strayRows(in: document.lines) == [])
    }

    @Test func `a row behind an empty line is a stray one, and so is one of other cells`() {
        let table = ["| a | b |", "| --- | ---: |", "| 1 | 2 |"]
        #expect(Self.strayRows(in: table + ["", "text"] + table) == [])
        #expect(Self.strayRows(in: table + ["", "| 3 | 4 |"]) == [5])
        #expect(Self.strayRows(in: table + ["| 3 |", #"| `x \| y` | z |"#]) == [4])
        #expect(Self.strayRows(in: table + ["```", "| 3 |", "```"]) == [])
    }

    @Test(arguments: documents) func `every link points to a file that is there`(document: SourceFile) throws {
        let folder = SourceFile.root.appending(path: document.path).deletingLastPathComponent()
        for link in document.lines.joined(separator: "\n").matches(of: /\]\(([^)#\s]*)(?:#([^)\s]+))?[^)]*\)/) {
            let target = String(link.1)
            guard !target.contains(":") else { continue }
            let file = target.isEmpty ? document.path : folder.appending(path: target).standardizedFileURL.path
            let path = target.isEmpty ? SourceFile.root.appending(path: file).path : file
            #expect(FileManager.default.fileExists(atPath: path), "\(document.path): \(target)")
            guard let anchor = link.2, path.hasSuffix(".md") else { continue }
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(Self.anchors(in: text).contains(String(anchor)), "\(document.path): \(target)#\(anchor)")
        }
    }

    @Test func `the anchor of a heading is in lower case, without punctuation`() {
        #expect(Self.anchors(in: "# A `run`, twice\n## Is it so?") == ["a-run-twice", "is-it-so"])
    }

    /// The anchors that GitHub gives to the headings of a text.
    private static func anchors(in text: String) -> Set<String> {
        Set(
            text.split(separator: "\n").compactMap { $0.wholeMatch(of: /#+ (.+)/)?.1 }.map { heading in
                String(heading.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) })
                    .replacing(" ", with: "-")
            })
    }

    /// The numbers of lines, from 1, that look like rows and belong to no table, or have more or fewer cells than its
    /// header. O(characters).
    ///
    /// The rules are those of [tables in GitHub's Markdown](https://github.github.com/gfm/#tables-extension-).
    private static func strayRows(in lines: [String]) -> [Int] {
        var stray: [Int] = []
        var isCode = false
        var cellCount: Int?
        for (index, line) in lines.enumerated() {
            let text = line.trimmingPrefix(while: \.isWhitespace)
            if text.hasPrefix("```") { isCode.toggle() }
            guard !isCode, text.hasPrefix("|") else {
                cellCount = nil
                continue
            }
            let count = line.matches(of: /\\\||(\|)/).count { $0.1 != nil } - 1
            if cellCount == nil, index + 1 < lines.count, lines[index + 1].contains(/^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/) {
                cellCount = count
            }
            if count != cellCount { stray.append(index + 1) }
        }
        return stray
    }
}
