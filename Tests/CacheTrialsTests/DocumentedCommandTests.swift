import ArgumentParser
import Foundation
import Reports
import Testing
import TrialModel

@testable import CacheTrials

/// The commands that the pages show are commands that the program understands.
@Suite(.timeLimit(.minutes(1)))
struct DocumentedCommandTests {
    @Test func `the pages show many commands`() {
        #expect(DocumentedPage.all.flatMap(\.commands).count > 60)
    }

    @Test(arguments: DocumentedPage.all.flatMap(\.commands)) func `a command of a page is understood`(line: String)
        throws
    {
        // What the shell puts there, and a strategy that was planted in another program.
        let run = line.replacing("$(git rev-parse HEAD)", with: "1a2b3c4").replacing("planted-lru", with: "fifo")
        let words = Self.words(of: run).dropFirst()
        do {
            _ = try CacheTrialsCommand.parseAsRoot(Array(words))
        } catch {
            let text = CacheTrialsCommand.message(for: error)
            // Files of examples are nowhere.
            let isAboutFile = ["no such file", "does not exist", "can't be read"].contains { text.contains($0) }
            #expect(isAboutFile || CacheTrialsCommand.exitCode(for: error) == .success, "\(line): \(text)")
        }
    }

    @Test func `the glossary names columns and files that are there`() throws {
        let page = DocumentedPage.root.appending(path: "Sources/CacheTrials/CacheTrials.docc/Glossary.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let columns = Set(ColumnCatalog.descriptions.map(\.name))
        let files = Set(ResultFile.allCases.map(\.rawValue))
        let words = text.matches(of: /`([a-z0-9-]+(?:_[a-z0-9]+)+|[a-z-]+\.csv)`/).map { String($0.1) }
        #expect(words.count > 25)
        let stages = Set(Stage.allCases.map(\.rawValue))
        for word in words { #expect(columns.union(files).union(stages).contains(word), "\(word)") }
    }

    /// The words that a shell makes of a line, without its comment and what comes after a pipe or `&&`.
    static func words(of line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
                continue
            }
            switch character {
            case "'", "\"":
                quote = character
                word = word ?? ""
            case " ":
                if let whole = word { words.append(whole) }
                word = nil
            case "#" where word == nil, "|", "&", ">": return words + (word.map { [$0] } ?? [])
            default: word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }

    @Test func `a line is cut into words as a shell does`() {
        #expect(
            Self.words(of: "cache-trials run a.yaml --objective 'p99 <= 5 ms'  # why") == [
                "cache-trials", "run", "a.yaml", "--objective", "p99 <= 5 ms",
            ])
        #expect(Self.words(of: "cache-trials list > x | y") == ["cache-trials", "list"])
    }
}
