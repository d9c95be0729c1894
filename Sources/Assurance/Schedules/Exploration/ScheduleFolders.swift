import Foundation

/// A folder for each schedule, because nothing says which strategy keeps files; the folder of the previous schedule is
/// removed. Without files this takes some microseconds.
final class ScheduleFolders {
    private let root: URL
    private var last: URL?
    private var count = 0

    /// - Throws: the file system's error when the folder can't be made.
    init() throws {
        // The folder is in memory where possible: the files of a schedule need not outlive it.
        let memory = URL(fileURLWithPath: "/dev/shm")
        let place =
            FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
        root = place.appendingPathComponent("cache-trials-schedules-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(at: root)
    }

    /// A folder that no other schedule has used. The strategy may have removed the folders of earlier ones.
    ///
    /// - Throws: the file system's error when the folder can't be made.
    func fresh() throws -> URL {
        if let last, rmdir(last.path) != 0, errno != ENOENT { try FileManager.default.removeItem(at: last) }
        count += 1
        let folder = root.appendingPathComponent("\(count)", isDirectory: true)
        // A strategy may have removed the root as well.
        if mkdir(folder.path, 0o700) != 0 {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        last = folder
        return folder
    }
}
