#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

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
        var text = text
        let code: Int32 = text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let written = write(descriptor, UnsafeRawBufferPointer(rebasing: rest))
                if written > 0 {
                    rest = rest.dropFirst(written)
                } else if written == 0 || errno != EINTR {
                    return written == 0 ? ENOSPC : errno
                }
            }
            return 0
        }
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

/// `write(2)`.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
