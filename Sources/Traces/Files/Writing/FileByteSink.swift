import Foundation

/// A new file. Until it is finished it is a hidden file in the same folder, which is removed if it is never finished.
/// This matters because a partial trace can often be read as a complete one.
final class FileByteSink: ByteSink {
    private let path: String
    private let temporaryPath: String
    private let descriptor: Int32
    private var isFinished = false

    /// - Throws: a fault when a file with that name exists, or the file can't be created.
    init(path: String) throws(TraceFault) {
        guard !path.utf8.contains(0) else { throw TraceFault(reason: .writeFailed("a NUL byte in the path")) }
        guard !Self.exists(path) else { throw Self.fault(EEXIST) }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        temporaryPath = "\(folder).trace-\(String(UInt64.random(in: .min ... .max), radix: 36)).partial"
        descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.fault(errno) }
        self.path = path
    }

    deinit {
        if !isFinished {
            close(descriptor)
            unlink(temporaryPath)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(TraceFault) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.fault(errno) }
            written += count
        }
    }

    func finish() throws(TraceFault) {
        guard !isFinished else { return }
        isFinished = true
        // The last error of a write may be reported only by `close`.
        var code = close(descriptor) == 0 ? 0 : errno
        if code == 0 { code = giveName() }
        unlink(temporaryPath)
        guard code == 0 else { throw Self.fault(code) }
    }

    /// Adds a hard link, which fails where a file exists; a rename would replace it.
    private func giveName() -> Int32 {
        if link(temporaryPath, path) == 0 { return 0 }
        let code = errno
        guard code != EEXIST, !Self.exists(path) else { return EEXIST }
        // Some file systems have no hard links.
        guard code == EPERM || code == ENOTSUP || code == ENOSYS || code == EMLINK else { return code }
        return rename(temporaryPath, path) == 0 ? 0 : errno
    }

    private static func exists(_ path: String) -> Bool {
        var information = stat()
        return lstat(path, &information) == 0
    }

    private static func fault(_ code: Int32) -> TraceFault {
        TraceFault(reason: .writeFailed(String(cString: strerror(code))))
    }
}
