package import Foundation

/// A file system in memory with little room, mounted for a while: where errors of the disk are the kernel's own.
package struct SmallFileSystem: Sendable {
    /// Where it is mounted.
    package let root: URL

    /// Why it can't be mounted.
    package struct Refusal: Error, CustomStringConvertible {
        package let description: String
    }

    /// Mounts one. Needs the right to, as root has it.
    ///
    /// - Parameters:
    ///   - byteCount: its room for contents, a multiple of a page.
    ///   - fileCount: how many files and folders it may hold, its own included.
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

    /// Unmounts it; everything in it is gone.
    package func unmount() async {
        // Lazily: a thread of a cache that has just been closed may hold a file for a moment longer.
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
