import Foundation
import Testing

/// The blocks of `Results/reference` and its data, which `scripts/reference` writes.
@Suite(.timeLimit(.minutes(1)))
struct ReferenceTests {
    private static let pages = SourceFile.all(in: "Results/reference", ending: ".md")
    private static let data = SourceFile.all(in: "Results/reference/data", ending: ".csv")

    /// The page of each step, as the script lists them.
    private static func steps() throws -> [String: String] {
        let script = try #require(SourceFile(path: "scripts/reference"))
        let rows = script.lines.compactMap { $0.wholeMatch(of: /([a-z-]+) *\| (\S+) *\| *\d+ \|.*/) }
        return Dictionary(uniqueKeysWithValues: rows.map { (String($0.1), "Results/reference/\($0.2).md") })
    }

    @Test func `every step has a block in its page, which ends, and no page has another`() throws {
        let steps = try Self.steps()
        #expect(steps.count > 10)
        var found: [String: String] = [:]
        for page in Self.pages {
            let begins = page.lines.compactMap { $0.wholeMatch(of: /<!-- made: (.+) -->/).map { String($0.1) } }
            let ends = page.lines.compactMap { $0.wholeMatch(of: /<!-- end: (.+) -->/).map { String($0.1) } }
            #expect(begins == ends, "\(page)")
            for block in begins { found[block] = page.path }
        }
        #expect(found == steps)
    }

    @Test func `a page has at most 60 lines, and names all its data`() {
        for page in Self.pages where !page.path.contains("/races/") { #expect(page.lines.count <= 61, "\(page)") }
        for file in Self.data {
            let link = "](data/\(file.path.split(separator: "/").last ?? ""))"
            #expect(Self.pages.contains { $0.has(anyOf: [link]) }, "\(file)")
        }
    }

    @Test func `every row of data has the cells of its header`() {
        #expect(Self.data.count > 15)
        for file in Self.data {
            let counts = Set(file.lines.filter { !$0.isEmpty }.map { Figures.values($0).count })
            #expect(counts.count == 1, "\(file)")
        }
    }
}
