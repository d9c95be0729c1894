import Foundation

/// A new file. It is removed again unless it is finished.
final class FileByteSink: ByteSink {
    private let path: String
    private let descriptor: Int32
    private var isFinished = false

    /// - Throws: when there is anything of that name, or the file can't be made.
    init(path: String) throws(TraceFault) {
        guard !path.utf8.contains(0) else { throw TraceFault(reason: .writeFailed("a NUL byte in the path")) }
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw TraceFault(reason: .writeFailed(SystemMessage.current)) }
        self.path = path
    }

    deinit {
        if !isFinished {
            close(descriptor)
            unlink(path)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(TraceFault) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw TraceFault(reason: .writeFailed(SystemMessage.current)) }
            written += count
        }
    }

    func finish() throws(TraceFault) {
        guard !isFinished else { return }
        isFinished = true
        // The last error of a write may come only now.
        guard close(descriptor) == 0 else {
            let message = SystemMessage.current
            unlink(path)
            throw TraceFault(reason: .writeFailed(message))
        }
    }
}
