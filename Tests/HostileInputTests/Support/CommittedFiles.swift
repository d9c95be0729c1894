import Foundation
import Testing

/// Bad files that stand beside these tests, each with what the program says of it.
struct CommittedFiles: Sendable {
    /// The folder with the files, and `expected.txt`.
    let folder: String
    /// What names the updating of ``expectations``.
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

    /// The lines that are expected, by file. A line begins with the path that the program was given.
    func expectations() throws -> [String: [String]] {
        let text = (try? String(contentsOfFile: "\(folder)/expected.txt", encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n").map(String.init)
        return Dictionary(grouping: lines) { line in String(line.prefix { $0 != ":" }) }
    }

    /// Whether the expectations are to be written anew, from what the program says.
    static var isUpdating: Bool { ProcessInfo.processInfo.environment[updating] != nil }

    /// Replaces the lines of one file; whoever runs this reads the difference.
    func update(_ file: String, _ lines: [String]) throws {
        var all = try expectations()
        all[file] = lines
        let text = all.keys.sorted().flatMap { all[$0] ?? [] }.map { "\($0)\n" }.joined()
        try text.write(toFile: "\(folder)/expected.txt", atomically: true, encoding: .utf8)
    }
}
