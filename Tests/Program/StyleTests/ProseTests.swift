import Foundation
import Testing

/// The words of comments, messages and pages.
@Suite(.timeLimit(.minutes(1)))
struct ProseTests {
    /// Turns that make a reader stop, each with the plain form.
    static let banned: KeyValuePairs = [
        "nobody": "no caller, no process: the noun",
        "whoever": "any caller, the caller that",
        "under way": "in flight (a load), in progress (a run), running",
        "stands": "is",
        "as it stands": "as written",
        "lets through": "allows",
        "let through": "allowed",
        "in its turn": "(nothing)",
        "came of it": "its result",
        "for who": "for a caller that",
        "of who": "of the caller that",
        "who did not": "a caller that did not",
    ]

    private static func turns() throws -> Regex<Substring> {
        let all = banned.map(\.key).joined(separator: "|")
        return try Regex(#"\b(?:"# + all + #")\b"#, as: Substring.self).ignoresCase()
    }

    static let files =
        StyleTests.everything.filter { !$0.path.hasPrefix("Tests/Program/StyleTests/") } + MarkdownTests.documents
        + SourceFile.all(in: "Scenarios", ending: ".yaml") + SourceFile.all(in: "Sources", ending: ".c")
        + SourceFile.all(in: "Sources", ending: ".h")

    @Test func `no turn is used that has a plainer form`() throws {
        let turns = try Self.turns()
        let found = Self.files.filter { $0.has(anyOf: Self.banned.map(\.key)) }.flatMap { file in
            file.lines.enumerated().filter { $1.contains(turns) }
                .map { "\(file.path):\($0 + 1): \($1.trimmingCharacters(in: .whitespaces))" }
        }
        #expect(found == [], "plainer: \(Self.banned)")
    }

    @Test(arguments: ["Nobody waits for it", "a load is under way", "It stands here."])
    func `a turn is seen wherever it is in a line`(line: String) throws {
        #expect(line.contains(try Self.turns()))
    }

    @Test(arguments: ["the underwayer", "stand-in", "understands", "a standard"])
    func `a word that only contains a turn is none`(line: String) throws {
        #expect(!line.contains(try Self.turns()))
    }

    // One word for an idea, and the field's.
    @Test func `a type is named by the field's words`() {
        let names =
            /\b(?:struct|class|enum|actor|protocol|typealias)\s+\w*(?:Account|Books?|Ledger|Crew|Census|Standing)\b/
        let named = StyleTests.everything.flatMap {
            $0.lines(matching: names, with: "Account", "Book", "Ledger", "Crew", "Census", "Standing")
        }
        #expect(named == [])
    }
}
