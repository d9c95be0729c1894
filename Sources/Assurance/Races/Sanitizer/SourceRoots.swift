import Foundation

/// Separates the code under test from that of the toolchain, the dependencies and the harness.
package struct SourceRoots: Sendable, Hashable {
    private let root: String?
    private let otherFolders: [String]

    /// - Parameters:
    ///   - root: the folder of the package; files below it are shown relative to it.
    ///   - otherFolders: folders whose code is not under test, such as `Sources/TrialRunner/`; relative ones are
    ///     below the root. A folder of dependencies outside of `.build` belongs here too.
    package init(root: String? = nil, otherFolders: [String] = []) {
        let root = root.map(Self.folder)
        self.root = root
        self.otherFolders = otherFolders.map { folder in
            folder.hasPrefix("/") ? Self.folder(folder) : Self.folder((root ?? "/") + folder)
        }
    }

    /// Whether a frame is in the code under test. O(length of the path and number of folders).
    package func contains(_ frame: StackFrame) -> Bool {
        // The compiler writes absolute paths for our code; only the system's libraries have relative ones.
        guard let file = frame.file, file.hasPrefix("/") else { return false }
        let path = Self.normalized(file)
        if otherFolders.contains(where: path.hasPrefix) { return false }
        if let root, path.hasPrefix(root) { return !Self.isFetched(path.dropFirst(root.count)) }
        return !Self.isFetched(path[...]) && !Self.isToolchain(path)
    }

    /// The innermost frame of a stack that is in the code under test; nil when none is. O(frames).
    ///
    /// The compiler gives some accesses a file and no line. The next frame of the same file is then used, such as the
    /// public function that called a private one.
    package func innermost(of frames: [StackFrame]) -> StackFrame? {
        guard let first = frames.first(where: contains) else { return nil }
        return frames.first { $0.file == first.file && $0.line != nil } ?? first
    }

    /// A path as it is shown: relative where it is below the root. O(length of the path).
    package func displayPath(of file: String) -> String {
        let path = file.hasPrefix("/") ? Self.normalized(file) : file
        guard let root, path.hasPrefix(root) else { return path }
        return String(path.dropFirst(root.count))
    }

    /// Whether the package manager or Xcode fetched or generated the file.
    private static func isFetched(_ path: Substring) -> Bool {
        let folders = path.split(separator: "/")
        return zip(folders, folders.dropFirst() + [""]).contains { folder, next in
            folder == ".build" || folder == "SourcePackages" && next == "checkouts"
        }
    }

    private static func isToolchain(_ path: String) -> Bool {
        let prefixes = ["/home/build-user/", "/usr/include/", "/usr/lib/", "/usr/src/", "/build/"]
        let parts = ["/usr/lib/swift/", "/usr/lib/swift_static/", "/usr/lib/clang/"]
        return prefixes.contains(where: path.hasPrefix) || parts.contains { path.contains($0) }
            || path.hasSuffix(".swiftinterface")
    }

    private static func folder(_ path: String) -> String {
        let path = normalized(path)
        return path.hasSuffix("/") ? path : path + "/"
    }

    /// The path without `.`, `..` and doubled slashes. It does not access the files, because they may be on another
    /// machine.
    private static func normalized(_ path: String) -> String {
        guard path.contains("//") || path.contains("/.") else { return path }
        var folders: [Substring] = []
        for folder in path.split(separator: "/") where folder != "." {
            if folder == ".." { _ = folders.popLast() } else { folders.append(folder) }
        }
        return "/" + folders.joined(separator: "/")
    }
}
