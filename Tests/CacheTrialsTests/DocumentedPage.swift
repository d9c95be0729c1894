import Foundation

/// A page of the project, with the commands that it shows.
struct DocumentedPage: Sendable, CustomStringConvertible {
    /// The path from the package's root.
    let path: String
    /// Each line of a block of code that begins with the program's name; lines that `\` continues are one.
    let commands: [String]

    var description: String { path }

    static let root = URL(fileURLWithPath: Program.root)

    /// All pages that show a command.
    static let all: [DocumentedPage] = {
        let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        let pages = names.filter { $0.hasSuffix(".md") && !$0.contains(".build") && !$0.hasPrefix("Tests/") }
        return pages.sorted().compactMap { page in
            let text = (try? String(contentsOf: root.appending(path: page), encoding: .utf8)) ?? ""
            let commands = text.replacing(#/\\\n\s*/#, with: "").split(separator: "\n").map { line in
                line.trimmingPrefix { $0 == " " || $0 == "$" }
            }.filter { $0.hasPrefix("cache-trials ") }.map(String.init)
            return commands.isEmpty ? nil : DocumentedPage(path: page, commands: commands)
        }
    }()
}
