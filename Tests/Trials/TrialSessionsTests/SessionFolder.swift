import Foundation
import Reports
import TrialModel

/// A result folder for sessions of scripted steps, removed afterwards, without any progress output.
final class SessionFolder: Sendable {
    let folder: ResultFolder

    init(_ files: [ResultFile]) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("session-\(UUID().uuidString)").path
        folder = try ResultFolder.create(at: path, files: files)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder.path) }

    var path: String { folder.path }

    static func progress(_ total: Int) -> RunProgress { RunProgress(total: total, style: .quiet) }
}
