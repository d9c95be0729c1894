import Foundation
import HistoryChecking

/// A finding as a test shows it: a few lines, and a file with all of them where there are more.
enum ShownFinding {
    /// - Parameter name: what it is about, for the name of the file.
    static func text(_ lines: [String], of name: String) -> String {
        let all = lines.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
        guard all.count > CounterexampleDrawing.linesMax else { return all.joined(separator: "\n") }
        return CounterexampleDrawing.shown(all, allIn: keep(all, name) ?? "no file: it could not be written")
            .joined(separator: "\n")
    }

    /// Writes all lines into a file that stays.
    ///
    /// - Returns: its path; `nil` if it can't be written.
    private static func keep(_ lines: [String], _ name: String) -> String? {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cache-trials-findings")
        let path = folder.appendingPathComponent("\(name)-\(UUID().uuidString).txt")
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: path)
            return path.path
        } catch {
            return nil
        }
    }
}
