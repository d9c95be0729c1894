/// Opens files whose paths come from outside: traces, scenarios, results. Opening never waits, not even for the writer of a
/// FIFO, and whatever is no regular file is refused by its kind before a byte of it is read.
package enum RegularFile {
    /// Why a path can't be opened as a regular file.
    package enum Obstacle: Error, Hashable, Sendable {
        /// The path has a NUL byte: the system would end it there, and open another file.
        case nulInPath
        /// The system's error number.
        case system(Int32)
        /// What is there instead, such as `a FIFO`.
        case kind(String)

        /// The message, to follow a path.
        package var message: String {
            switch self {
            case .nulInPath: "a NUL byte in the path"
            case .system(let code): SystemErrors.message(code)
            case .kind(let kind): "is \(kind), no regular file"
            }
        }
    }

    /// Opens a regular file for reading; programs started by this process do not inherit it.
    ///
    /// - Parameter followsLinks: whether a symbolic link counts as its target.
    /// - Returns: the descriptor, which the caller closes, and what the system told of the file when it was opened.
    package static func opened(
        _ path: String, followsLinks: Bool = true
    ) throws(Obstacle) -> (descriptor: Int32, status: stat) {
        guard !path.utf8.contains(0) else { throw .nulInPath }
        let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | (followsLinks ? 0 : O_NOFOLLOW)
        let descriptor = open(path, flags)
        guard descriptor >= 0 else { throw .system(errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            _ = close(descriptor)
            throw .system(code)
        }
        guard let kind = kind(status) else { return (descriptor, status) }
        _ = close(descriptor)
        throw .kind(kind)
    }

    /// What is at a path, unless it is a regular file.
    private static func kind(_ status: stat) -> String? {
        switch status.st_mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: "a folder"
        case S_IFIFO: "a FIFO"
        case S_IFCHR, S_IFBLK: "a device"
        case S_IFSOCK: "a socket"
        default: "something else"
        }
    }
}
