#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file descriptor of its own, closed with its last owner. Nothing is buffered: what was appended is with the system.
package final class FileDescriptor: Sendable {
    /// Writes bytes and answers how many, as `write(2)` does; replaced in tests.
    package typealias Write = @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int

    /// As it was given.
    package let path: String
    private let descriptor: Int32
    private let write: Write

    /// Opens a file or a folder; the descriptor does not reach child processes.
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
        // A child process that another thread is starting holds a copy until it calls `exec`, and with it the lock;
        // closing would not give the lock back, unlocking does.
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }

    /// Bytes in the file.
    package func size() throws(ReportsError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .failed("inspect", path, errno) }
        return Int(status.st_size)
    }

    /// Writes all of `text`, whatever number of calls that takes.
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

    /// Cuts the file to an earlier size; what can't be cut is left for the next reader to drop.
    package func cut(to size: Int) {
        _ = ftruncate(descriptor, off_t(size))
    }

    /// Waits until the content is on the disk.
    package func synchronize() throws(ReportsError) {
        // Pipes and some file systems can't, and say EINVAL; nothing is lost by that.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw .failed("write", path, errno) }
    }

    /// Takes the file for this process, until it is closed; false when another process has it.
    ///
    /// File systems that know no locks let everyone in.
    package func lock() -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
    }
}

/// `write(2)`.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
