import ArgumentParser
import BuiltInStrategies
import Foundation
import Reports
import Testing
import TrialModel

@testable import CacheTrials

/// The program accepts the commands that the pages show.
@Suite(.timeLimit(.minutes(1)))
struct DocumentedCommandTests {
    @Test func `the pages show many commands`() {
        #expect(DocumentedPage.all.flatMap(\.commands).count > 60)
    }

    /// Several pages show some of them.
    private static let commands = Set(DocumentedPage.all.flatMap(\.commands)).sorted()

    @Test(arguments: commands) func `the program accepts the command of a page`(
        line: String
    )
        throws
    {
        // Replaces the expansion of a shell, a strategy of another program, and what a cluster sets.
        let run = line.replacing("$(git rev-parse HEAD)", with: "1a2b3c4").replacing("planted-lru", with: "fifo")
            .replacing("--shard auto", with: "--shard 2/4")
        let words = Self.words(of: run).dropFirst()
        do {
            _ = try CacheTrialsCommand.parseAsRoot(Array(words))
        } catch {
            let text = CacheTrialsCommand.message(for: error)
            // Files of examples do not exist, and a build without a trait says how to get its strategies.
            let isKnown = ["no such file", "does not exist", "can't be read", "is off: built without the trait"]
                .contains {
                    text.contains($0)
                }
            #expect(isKnown || CacheTrialsCommand.exitCode(for: error) == .success, "\(line): \(text)")
        }
    }

    @Test func `the glossary names existing columns and files`() throws {
        let page = DocumentedPage.root.appending(path: "Sources/Program/CacheTrials/CacheTrials.docc/Glossary.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let columns = Set(ColumnCatalog.descriptions.map(\.name))
        let files = Set(ResultFile.allCases.map(\.rawValue))
        let words = text.matches(of: /`([a-z0-9-]+(?:_[a-z0-9]+)+|[a-z-]+\.csv)`/).map { String($0.1) }
        #expect(words.count > 25)
        let stages = Set(Stage.allCases.map(\.rawValue))
        for word in words { #expect(columns.union(files).union(stages).contains(word), "\(word)") }
    }

    /// The words into which a shell splits a line, without its comment and everything after a pipe or `&&`.
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

    @Test func `a line is split into words as in a shell`() {
        #expect(
            Self.words(of: "cache-trials run a.yaml --objective 'p99 <= 5 ms'  # why") == [
                "cache-trials", "run", "a.yaml", "--objective", "p99 <= 5 ms",
            ])
        #expect(Self.words(of: "cache-trials list > x | y") == ["cache-trials", "list"])
    }
}
