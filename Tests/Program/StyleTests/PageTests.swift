import Foundation
import Testing

/// The pages as a reader in a hurry needs them: few words, short sentences, links that work wherever the page is shown.
@Suite(.timeLimit(.minutes(1)))
struct PageTests {
    /// A reference lists every key; readers search it and don't read it from the top.
    private static let references = ["Scenarios/README.md"]
    private static let readme = "README.md"

    @Test(arguments: MarkdownTests.documents) func `a page has at most 200 lines`(page: SourceFile) {
        guard !Self.references.contains(page.path) else { return }
        #expect(page.lines.count <= 201)
    }

    /// Counted is all that a reader reads: text, headings, lists, tables. Blocks of code, comments and addresses of links
    /// are not. A word has a letter or a digit.
    @Test func `the README has at most 700 words`() throws {
        let page = try #require(SourceFile(path: Self.readme))
        let words = Prose(page.lines).blocks.map { Prose.words(of: $0.text).count }.reduce(0, +)
        #expect(words <= 700)
    }

    @Test(arguments: MarkdownTests.documents) func `a sentence has at most 30 words`(page: SourceFile) {
        // The tables of keys are made from the program's messages.
        let end = page.lines.firstIndex { $0.hasPrefix("<!-- The tables are generated") } ?? page.lines.endIndex
        let rest = page.lines[end...].drop { !$0.hasPrefix("<!-- end of the tables") }
        let long = Prose(page.lines[..<end] + rest).sentences.filter { Prose.words(of: $0.text).count > 30 }
        #expect(long.map { "\(page.path):\($0.line): \($0.text)" } == [])
    }

    // The subject comes first.
    @Test(arguments: MarkdownTests.documents) func `no sentence begins with So or Of`(page: SourceFile) {
        let late = Prose(page.lines).sentences.filter { $0.text.hasPrefix("So ") || $0.text.hasPrefix("Of ") }
        #expect(late.map { "\(page.path):\($0.line): \($0.text)" } == [])
    }

    @Test func `a sentence ends at its stop, and a paragraph, an item and a cell end one too`() {
        let lines = [
            "# A heading", "One", "two. Three", "", "- four", "- five `a b c` [six](a.md)", "| seven; eight | nine |",
            "| --- | --- |", "```", "no sentence", "```", "<!-- nor this -->", "ten <!-- x -->0.5 %<!-- end --> e.g. a",
        ]
        #expect(
            Prose(lines).sentences.map(\.text) == [
                "A heading", "One two.", "Three", "four", "five code six", "seven", "eight", "nine",
                "ten 0.5 % e.g. a",
            ])
        #expect(Prose.words(of: "five − code, six → 7") == ["five", "code,", "six", "7"])
    }

    // GitHub shows `<doc:Page>` and `- term` as text, and DocC follows no file. Pages therefore link to files, and `scripts/docs`
    // translates.
    @Test func `a link names a file, which GitHub follows and scripts/docs translates`() {
        #expect(MarkdownTests.documents.flatMap(Self.foreignForms) == [])
    }

    @Test(arguments: ["See <doc:Other>.", "[Other](doc:Other)", "- term A word: what it means"])
    func `a form of DocC is seen`(line: String) {
        #expect(
            Self.foreignForms(in: SourceFile(path: "a.md", lines: ["```", line, "```", line])) == ["a.md:4: \(line)"])
    }

    @Test(arguments: ["See [Other](Other.md#a-heading).", "`<doc:Other>`", "- terms", "``Symbol``"])
    func `a form of both is none of DocC alone`(line: String) {
        #expect(Self.foreignForms(in: SourceFile(path: "a.md", lines: [line])) == [])
    }

    private static func foreignForms(in page: SourceFile) -> [String] {
        var isCode = false
        return page.lines.enumerated().compactMap { index, line in
            if line.hasPrefix("```") { isCode.toggle() }
            let text = line.replacing(#/`[^`]*`/#, with: "")
            guard !isCode, text.contains(#/<doc:|\]\(doc:|^ *- term /#) else { return nil }
            return "\(page.path):\(index + 1): \(line)"
        }
    }
}
