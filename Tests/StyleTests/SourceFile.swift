import Foundation

/// A Swift file of the package, as the style rules see it.
struct SourceFile: Sendable, CustomStringConvertible {
    /// The path from the package's root.
    let path: String
    let lines: [String]

    var description: String { path }

    /// Every Swift file below the named folders of the package.
    static func all(in folders: String...) -> [SourceFile] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return folders.flatMap { folder -> [SourceFile] in
            let base = root.appendingPathComponent(folder)
            let names = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
            return names.sorted().filter { $0.hasSuffix(".swift") && !$0.contains(".build") }.compactMap { name in
                guard let text = try? String(contentsOf: base.appendingPathComponent(name), encoding: .utf8) else {
                    return nil
                }
                return SourceFile(
                    path: "\(folder)/\(name)",
                    lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
            }
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
