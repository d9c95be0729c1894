package import Foundation

/// A folder for one case: it holds the cache's folder and, beside that, files that must not change.
package struct ScratchFolder: Sendable {
    /// The folder that holds everything of the case.
    package let parent: URL
    /// The cache's folder.
    package var directory: URL { parent.appendingPathComponent("cache", isDirectory: true) }

    package init() throws {
        try self.init(
            parent: FileManager.default.temporaryDirectory
                .appendingPathComponent("reliability-\(UUID().uuidString)", isDirectory: true))
    }

    /// Creates a scratch folder at a given place, such as a mounted file system.
    package init(parent: URL) throws {
        self.parent = parent
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    /// Removes everything.
    package func remove() { try? FileManager.default.removeItem(at: parent) }

    /// A file of the cache.
    func file(_ name: String) -> URL { directory.appendingPathComponent(name) }

    /// All names in the cache's folder, sorted.
    package func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    /// The size of some of the cache's files, in bytes.
    func byteCount(of names: [String]) throws -> Int {
        try names.reduce(0) { sum, name in
            let attributes = try FileManager.default.attributesOfItem(atPath: file(name).path)
            return sum + ((attributes[.size] as? NSNumber)?.intValue ?? 0)
        }
    }

    /// Runs `body` with a folder, and removes the folder afterwards.
    package static func with<Result>(_ body: (ScratchFolder) async throws -> Result) async throws -> Result {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        return try await body(folder)
    }
}
