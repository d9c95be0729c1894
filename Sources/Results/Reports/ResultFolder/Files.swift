import Platform

/// The few operations on whole files and folders that a result folder needs, with errors that name the path.
package enum Files {
    /// The most bytes that are read of one file; a result folder of 100,000 trials stays far below that.
    static let sizeLimit = 1 << 30

    /// The kind of file at a path.
    package enum Kind: Sendable {
        case nothing, folder, file
        /// A device, a pipe or a socket.
        case stream
    }

    /// The kind of file at a path; a link counts as its target.
    package static func kind(of path: String) throws(ReportsError) -> Kind {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return .nothing }
            throw .failed("inspect", path, errno)
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return .folder
        case S_IFREG: return .file
        default: return .stream
        }
    }

    /// Makes a folder and its missing parents; returns the folders that it made, the topmost first.
    static func makeFolders(_ path: String) throws(ReportsError) -> [String] {
        var made: [String] = []
        var current = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            current += current.isEmpty || current.hasSuffix("/") ? String(part) : "/" + part
            if mkdir(current, 0o755) == 0 {
                made.append(current)
            } else {
                let code = errno
                let found = try? kind(of: current)
                if found == .folder { continue }
                for folder in made.reversed() { remove(folder) }
                throw found == .file || found == .stream
                    ? .notAFolder(path: current) : .failed("make the folder", current, code)
            }
        }
        return made
    }

    /// The names in a folder, sorted, without those that say nothing about its use.
    static func names(in path: String) throws(ReportsError) -> [String] {
        guard let folder = opendir(path) else { throw .failed("list", path, errno) }
        defer { _ = closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) {
                    String(cString: $0)
                }
            }
            if ![".", "..", ".DS_Store", ".gitkeep"].contains(name) { names.append(name) }
        }
        return names.sorted()
    }

    /// All bytes of a file.
    package static func read(_ path: String) throws(ReportsError) -> [UInt8] {
        let (descriptor, status): (Int32, stat)
        do throws(RegularFile.Obstacle) {
            (descriptor, status) = try RegularFile.opened(path, followsLinks: false)
        } catch {
            switch error {
            case .system(ELOOP): throw .badFile(path: path, line: 1, problem: "a link, not a file")
            case .system(let code): throw .failed("open", path, code)
            case .kind, .nulInPath: throw .badFile(path: path, line: 1, problem: "not a regular file")
            }
        }
        defer { _ = close(descriptor) }
        // The size is checked before reading: a sparse file may claim terabytes and take no space.
        guard status.st_size <= sizeLimit else {
            throw .tooLarge(path: path, bytes: Int(status.st_size), limit: sizeLimit)
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = buffer.withUnsafeMutableBytes { systemRead(descriptor, $0) }
            if count > 0 {
                bytes.append(contentsOf: buffer[..<count])
                guard bytes.count <= sizeLimit else {
                    throw .tooLarge(path: path, bytes: bytes.count, limit: sizeLimit)
                }
            } else if count == 0 {
                return bytes
            } else if errno != EINTR {
                throw .failed("read", path, errno)
            }
        }
    }

    /// Replaces a file atomically: a reader sees the old content or the new one, never a part.
    package static func replace(_ path: String, with text: String) throws(ReportsError) {
        let temporary = "\(path).\(getpid()).tmp"
        do throws(ReportsError) {
            remove(temporary)
            let file = try FileDescriptor(opening: temporary, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
            try file.append(text)
            try file.synchronize()
            guard rename(temporary, path) == 0 else { throw ReportsError.failed("replace", path, errno) }
        } catch {
            remove(temporary)
            throw error
        }
    }

    /// Locks a folder for this process, as long as the returned value lives.
    ///
    /// - Throws: ``ReportsError/inUse(path:)`` when another process holds the lock.
    package static func lock(folder path: String) throws(ReportsError) -> FileDescriptor {
        let folder = try FileDescriptor(opening: path, flags: O_RDONLY | O_DIRECTORY)
        guard folder.lock() else { throw .inUse(path: path) }
        return folder
    }

    /// Removes a file or an empty folder; a failure is ignored.
    static func remove(_ path: String) {
        if unlink(path) != 0 { _ = rmdir(path) }
    }
}

/// `read(2)`, declared outside the type because the type's own `read` hides it.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

/// An owned file descriptor, closed when its last reference goes away. Writes are not buffered in the process.
package final class FileDescriptor: Sendable {
    /// Writes bytes and returns how many were written, as `write(2)` does; replaced in tests.
    package typealias Write = @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int

    /// The path as given.
    package let path: String
    private let descriptor: Int32
    private let write: Write

    /// Opens a file or a folder; child processes don't inherit the descriptor.
    package init(
        opening path: String, flags: Int32,
        write: @escaping Write = { systemWrite($0, $1) }
    ) throws(ReportsError) {
        let descriptor = open(path, flags | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .failed("open", path, errno) }
        self.path = path
        self.descriptor = descriptor
        self.write = write
    }

    deinit {
        // A child process that another thread is starting holds a copy of the descriptor until it calls `exec`, and
        // with it the lock. Closing would not release the lock; unlocking does.
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }

    /// The size of the file in bytes.
    package func size() throws(ReportsError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .failed("inspect", path, errno) }
        return Int(status.st_size)
    }

    /// Writes all of `text`, in as many calls as that takes.
    package func append(_ text: String) throws(ReportsError) {
        let code = writeAll(text) { write(descriptor, $0) }
        if code != 0 { throw .failed("write", path, code) }
    }

    /// Truncates the file to an earlier size. If that fails, the next reader drops the rest.
    package func cut(to size: Int) {
        _ = ftruncate(descriptor, off_t(size))
    }

    /// Waits until the content is on disk.
    package func synchronize() throws(ReportsError) {
        // Pipes and some file systems can't synchronize and return EINVAL; nothing is lost by that.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw .failed("write", path, errno) }
    }

    /// Locks the file for this process until it is closed; false when another process holds the lock.
    ///
    /// On file systems without locks this always succeeds.
    package func lock() -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
    }
}

/// Writes all of a text, in as many calls as that takes.
///
/// - Returns: the code of the error that prevented it; 0 without one.
func writeAll(_ text: String, _ write: (UnsafeRawBufferPointer) -> Int) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
        var rest = UnsafeRawBufferPointer(bytes)[...]
        while !rest.isEmpty {
            let written = write(UnsafeRawBufferPointer(rebasing: rest))
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if written == 0 || errno != EINTR {
                return written == 0 ? ENOSPC : errno
            }
        }
        return 0
    }
}

/// `write(2)`.
func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
