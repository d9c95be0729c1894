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
}
