import Foundation

/// A file of the package, as the style rules see it.
struct SourceFile: Sendable, CustomStringConvertible {
    /// The path from the package's root.
    let path: String
    let lines: [String]
    /// The whole text in lower case, to see quickly whether a word is anywhere in it.
    private let lowercased: String

    var description: String { path }

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// `nil` when there is no such file of text.
    init?(path: String) {
        guard let text = try? String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8) else {
            return nil
        }
        self.init(path: path, lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }

    init(path: String, lines: [String]) {
        self.path = path
        self.lines = lines
        lowercased = lines.joined(separator: "\n").lowercased()
    }

    /// Whether one of the words is in the file, in any case. A regular expression takes a thousand times as long, so the
    /// rules ask this first.
    func has(anyOf words: [String]) -> Bool {
        lowercased.withCString { text in words.contains { strstr(text, $0.lowercased()) != nil } }
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

    /// The lines that match and are no comments, as `path:line: text`.
    ///
    /// - Parameter words: words of which a line that matches has at least one.
    func lines(matching pattern: Regex<Substring>, with words: String...) -> [String] {
        guard has(anyOf: words) else { return [] }
        return lines.enumerated().compactMap { index, line in
            guard line.contains(pattern) else { return nil }
            let code = line.trimmingCharacters(in: .whitespaces)
            return code.hasPrefix("//") ? nil : "\(path):\(index + 1): \(code)"
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

    /// The declarations whose first line has one of the words and matches.
    func declarations(matching pattern: Regex<Substring>, with words: String...) -> [Declaration] {
        guard has(anyOf: words) else { return [] }
        let code = lines.map { $0.trimmingCharacters(in: .whitespaces) }
        return lines.indices.filter { index in
            words.contains { code[index].contains($0) } && lines[index].contains(pattern)
        }.map { index in
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
