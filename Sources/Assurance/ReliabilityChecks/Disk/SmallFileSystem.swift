package import Foundation

/// A small file system in memory, mounted for a while: its disk errors come from the kernel.
package struct SmallFileSystem: Sendable {
    /// The mount point.
    package let root: URL

    /// Why the file system can't be mounted.
    package struct Refusal: Error, CustomStringConvertible {
        package let description: String
    }

    /// Mounts a file system. The process needs the right to mount, as root has.
    ///
    /// - Parameters:
    ///   - byteCount: the space for contents, in bytes; a multiple of a page.
    ///   - fileCount: the maximum number of files and folders, including its root folder.
    package init(byteCount: Int, fileCount: Int) async throws {
        root = FileManager.default.temporaryDirectory
            .appendingPathComponent("small-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        do {
            try await Self.run([
                "mount", "-t", "tmpfs", "-o", "size=\(byteCount),nr_inodes=\(fileCount)", "tmpfs", root.path,
            ])
        } catch {
            try? FileManager.default.removeItem(at: root)
            throw error
        }
    }

    /// Unmounts the file system; its contents are lost.
    package func unmount() async {
        // Lazily: a thread of a cache that was just closed may hold a file a moment longer.
        try? await Self.run(["umount", "-l", root.path])
        try? FileManager.default.removeItem(at: root)
    }

    private static func run(_ words: [String]) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread {
                continuation.resume(with: Result { try runBlocking(words) })
            }
        }
    }

    private static func runBlocking(_ words: [String]) throws {
        let process = Process()
        let output = Pipe()
        defer { try? output.fileHandleForReading.close() }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.standardError = output
        try process.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let text = String(decoding: said, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            throw Refusal(description: "\(words[0]): \(text)")
        }
    }
}
