import ArgumentParser
import Foundation

@testable import CacheTrials

/// A page of the project, or the help of a verb, with the commands that it shows.
struct DocumentedPage: Sendable, CustomStringConvertible {
    /// The path from the package's root, or the command that prints the help.
    let path: String
    /// Each line of a block of code that begins with the program's name; lines that `\` or `|` continues are one.
    let commands: [String]

    private init?(path: String, text: String) {
        let lines = text.replacing(#/\\\n\s*/#, with: "").replacing(#/\|\n\s*/#, with: "| ").split(separator: "\n").map
        { line in
            line.trimmingPrefix { $0 == " " || $0 == "$" }
        }
        self.path = path
        commands = lines.filter { $0.hasPrefix("cache-trials ") }.map(String.init)
        if commands.isEmpty { return nil }
    }

    var description: String { path }

    static let root = URL(fileURLWithPath: Program.root)

    /// All pages that show a command, and all verbs whose help has an example.
    static let all = pages + helps(of: CacheTrialsCommand.self, called: "cache-trials")

    private static let pages: [DocumentedPage] = {
        let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        let pages = names.filter { $0.hasSuffix(".md") && !$0.contains(".build") && !$0.hasPrefix("Tests/") }
        return pages.sorted().compactMap { page in
            let text = (try? String(contentsOf: root.appending(path: page), encoding: .utf8)) ?? ""
            return DocumentedPage(path: page, text: text)
        }
    }()

    private static func helps(of command: any ParsableCommand.Type, called name: String) -> [DocumentedPage] {
        let help = command.configuration.discussion.replacing("\(ThisProgram.name) ", with: "cache-trials ")
            // An explanation is beside its example.
            .replacing(#/(cache-trials .*?) {3,}.*/#) { $0.output.1 }
        let own = DocumentedPage(path: "\(name) --help", text: help)
        return [own].compactMap(\.self)
            + command.configuration.subcommands.flatMap { helps(of: $0, called: "\(name) \($0._commandName)") }
    }
}
