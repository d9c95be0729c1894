import Foundation
import TrialModel

/// A temporary folder of the run, with an empty folder for each trial.
struct ScratchFolder: Sendable {
    private let root: URL

    /// Makes a new folder that only this user can access, so that no other user can plant files in it.
    init() throws {
        let parent = FileManager.default.temporaryDirectory.path
        var template = Array("\(parent)/cache-trials-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw HarnessError(
                "can't make a temporary folder in \(parent); free some space there, or set TMPDIR to another folder")
        }
        let path = template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        root = URL(fileURLWithPath: String(decoding: path, as: UTF8.self), isDirectory: true)
    }

    /// The path of a file or folder with a name.
    func path(_ name: String) -> String { root.appendingPathComponent(name).path }

    /// Removes the files of the last trial, and makes an empty folder for the next.
    ///
    /// - Parameter name: one of the trial's folders.
    func fresh(_ name: String = "trial") throws -> String {
        let folder = root.appendingPathComponent(name, isDirectory: true)
        try? FileManager.default.removeItem(at: folder)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw HarnessError("can't make the folder \(folder.path); free some space there, or set TMPDIR")
        }
        return folder.path
    }

    func remove() {
        try? FileManager.default.removeItem(at: root)
    }
}
