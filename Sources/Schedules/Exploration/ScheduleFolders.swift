import Foundation

/// A folder for each schedule of a strategy that keeps files; the one before is removed.
final class ScheduleFolders {
    private let root: URL
    private var last: URL?
    private var count = 0

    /// - Throws: what keeps the folder from being made.
    init() throws {
        // In memory where there is such a place: files of a schedule need not outlive it.
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

    /// A folder that no other schedule has used.
    func fresh() throws -> URL {
        if let last { try FileManager.default.removeItem(at: last) }
        count += 1
        let folder = root.appendingPathComponent("\(count)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        last = folder
        return folder
    }
}
