import Foundation
import Platform

/// A regular file, read in large pieces.
///
/// It is not mapped: if another process truncates a mapped file, the reading process crashes.
final class FileByteSource: ByteSource {
    private let descriptor: Int32
    private let atOpening: stat
    private var readCount = 0

    /// - Throws: a fault when the file can't be opened or is not a regular file. It never waits, not even for the
    ///   writer of a FIFO.
    init(path: String) throws(TraceFault) {
        // The system would end the path at the NUL and open another file.
        guard !path.utf8.contains(0) else { throw TraceFault(reason: .cannotOpen("a NUL byte in the path")) }
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw TraceFault(reason: .cannotOpen(SystemMessage.current)) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else {
            let message = SystemMessage.current
            close(descriptor)
            throw TraceFault(reason: .cannotOpen(message))
        }
        if let kind = Self.kind(ofIrregular: information.st_mode) {
            close(descriptor)
            throw TraceFault(reason: .notARegularFile(kind))
        }
        self.descriptor = descriptor
        atOpening = information
    }

    deinit { close(descriptor) }

    /// The size of the file in bytes when it was opened.
    var byteCount: Int { Int(atOpening.st_size) }

    /// Detects the compression from the first bytes, without reading on.
    func compression() -> TraceCompression {
        withUnsafeTemporaryAllocation(byteCount: 6, alignment: 1) { magic in
            let count = pread(descriptor, magic.baseAddress, 6, 0)
            return TraceCompression(magic: UnsafeRawBufferPointer(rebasing: magic[..<max(0, count)]))
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TraceFault) -> Int {
        while true {
            let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw TraceFault(reason: .readFailed(SystemMessage.current)) }
            readCount += count
            // Also stops reading a file that grows faster than it is read.
            if count == 0 || readCount > byteCount { try requireUnchanged() }
            return count
        }
    }

    private func requireUnchanged() throws(TraceFault) {
        var now = stat()
        guard fstat(descriptor, &now) == 0, now.st_size == atOpening.st_size, readCount == byteCount,
            now.modification.tv_sec == atOpening.modification.tv_sec,
            now.modification.tv_nsec == atOpening.modification.tv_nsec
        else { throw TraceFault(reason: .changed) }
    }

    private static func kind(ofIrregular mode: mode_t) -> String? {
        switch mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: "a folder"
        case S_IFIFO: "a FIFO"
        case S_IFCHR, S_IFBLK: "a device"
        case S_IFSOCK: "a socket"
        default: "no regular file"
        }
    }
}

/// The system's message for its last error.
enum SystemMessage {
    static var current: String { String(cString: strerror(errno)) }
}
