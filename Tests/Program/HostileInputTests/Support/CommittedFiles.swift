import Foundation
import Testing

/// Bad files in the folder of these tests, each with the program's expected messages.
struct CommittedFiles: Sendable {
    /// The folder with the files, and `expected.txt`.
    let folder: String
    /// The environment variable that updates ``expectations``.
    private static let updating = "UPDATE_HOSTILE_EXPECTATIONS"

    init(_ name: String) {
        folder =
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent(name).path
    }

    /// The paths of the files, relative to the folder.
    var files: [String] {
        let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.contains(".") && $0 != "expected.txt" }.sorted()
    }

    /// The expected lines, by file. A line begins with the path that the program was given.
    func expectations() throws -> [String: [String]] {
        let text = (try? String(contentsOfFile: "\(folder)/expected.txt", encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n").map(String.init)
        return Dictionary(grouping: lines) { line in String(line.prefix { $0 != ":" }) }
    }

    /// Whether to rewrite the expectations from the program's output.
    static var isUpdating: Bool { ProcessInfo.processInfo.environment[updating] != nil }

    /// Replaces the lines of one file; the developer reviews the difference.
    func update(_ file: String, _ lines: [String]) throws {
        var all = try expectations()
        all[file] = lines
        let text = all.keys.sorted().flatMap { all[$0] ?? [] }.map { "\($0)\n" }.joined()
        try text.write(toFile: "\(folder)/expected.txt", atomically: true, encoding: .utf8)
    }
}
