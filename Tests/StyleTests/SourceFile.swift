import Foundation

/// A file of the package, as the style rules see it.
struct SourceFile: Sendable, CustomStringConvertible {
    /// The path from the package's root.
    let path: String
    let lines: [String]

    var description: String { path }

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// `nil` when there is no such file of text.
    init?(path: String) {
        guard let text = try? String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8) else {
            return nil
        }
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Every file below the named folders of the package whose name ends so; what a build made is left out.
    static func all(in folders: String..., ending: String = ".swift") -> [SourceFile] {
        folders.flatMap { folder -> [SourceFile] in
            let base = root.appendingPathComponent(folder)
            let names = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
            return names.sorted().filter { $0.hasSuffix(ending) && !$0.contains(".build") }
                .compactMap { SourceFile(path: "\(folder)/\($0)") }
        }
    }

    /// The lines that match, as `path:line: text`.
    func lines(matching pattern: Regex<Substring>, unless exception: Regex<Substring>? = nil) -> [String] {
        lines.enumerated().compactMap { index, line in
            let code = line.trimmingCharacters(in: .whitespaces)
            guard !code.hasPrefix("//"), line.contains(pattern) else { return nil }
            if let exception, line.contains(exception) { return nil }
            return "\(path):\(index + 1): \(code)"
        }
    }

    /// A declaration with the comment above it.
    struct Declaration: CustomStringConvertible {
        let place: String
        /// Its first line.
        let text: String
        /// All of it up to its body, in one line.
        let signature: String
        /// The lines of documentation; empty when there is none.
        let comment: String

        var description: String { "\(place): \(text)" }
    }

    /// The declarations whose first line matches.
    func declarations(matching pattern: Regex<Substring>) -> [Declaration] {
        let code = lines.map { $0.trimmingCharacters(in: .whitespaces) }
        return lines.indices.filter { lines[$0].contains(pattern) }.map { index in
            var above = index - 1
            while above >= 0, code[above].hasPrefix("@") { above -= 1 }
            var comment: [String] = []
            while above >= 0, code[above].hasPrefix("///") {
                comment.insert(code[above], at: 0)
                above -= 1
            }
            let rest = code[index...]
            let end = rest.firstIndex { $0.hasSuffix("{") || $0.hasSuffix("}") || $0.isEmpty } ?? rest.endIndex - 1
            let signature = rest[...end].joined(separator: " ")
            return Declaration(
                place: "\(path):\(index + 1)", text: code[index],
                signature: String(signature.prefix { $0 != "{" }), comment: comment.joined(separator: "\n"))
        }
    }
}
