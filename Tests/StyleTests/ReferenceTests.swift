import Foundation
import Testing

/// The blocks of results in `Results/reference`, which `scripts/reference` writes.
@Suite(.timeLimit(.minutes(1)))
struct ReferenceTests {
    private static let pages = SourceFile.all(in: "Results/reference", ending: ".md")

    /// The pages of each step, as the script lists them.
    private static func steps() throws -> [String: Set<String>] {
        let script = try #require(SourceFile(path: "scripts/reference"))
        let rows = script.lines.compactMap { $0.wholeMatch(of: /([a-z-]+) *\| ([^|]+) \| *\d+ \|.*/) }
        return Dictionary(
            uniqueKeysWithValues: rows.map { row in
                (String(row.1), Set(row.2.split(separator: " ").map(String.init)))
            })
    }

    @Test func `every block belongs to a step that writes that page, and ends`() throws {
        let steps = try Self.steps()
        #expect(steps.count > 10)
        var blocks = 0
        for page in Self.pages {
            let name = page.path.dropFirst("Results/reference/".count).dropLast(".md".count)
            let begins = page.lines.compactMap { $0.wholeMatch(of: /<!-- made: (.+) -->/)?.1 }
            let ends = page.lines.compactMap { $0.wholeMatch(of: /<!-- end: (.+) -->/)?.1 }
            #expect(begins == ends, "\(page)")
            for block in begins {
                blocks += 1
                let step = String(block.prefix { $0 != " " })
                #expect(steps[step]?.contains(String(name)) == true, "\(page): \(block)")
            }
        }
        #expect(blocks > steps.count)
    }

    @Test func `every page of a step is there`() throws {
        let names = Set(
            Self.pages.map { $0.path.dropFirst("Results/reference/".count).dropLast(".md".count) }.map(String.init))
        for (step, pages) in try Self.steps() { #expect(pages.isSubset(of: names), "\(step)") }
    }
}
