/// The system's error numbers, by their meaning.
package enum SystemErrors {
    /// A signal interrupted the call; it may be made again.
    package static let interrupted = EINTR
    /// The name doesn't exist.
    package static let absent = ENOENT
    /// The name exists already.
    package static let exists = EEXIST
    /// The device is full.
    package static let noSpace = ENOSPC
    /// The device failed.
    package static let ioFailure = EIO
    /// The process has too many files open.
    package static let tooManyOpen = EMFILE
    /// The process may not do this.
    package static let accessDenied = EACCES

    /// Whether the failure is a shortage in the process and not a fault of the file: a later try may succeed.
    package static func isShortage(_ code: Int32) -> Bool {
        code == EMFILE || code == ENFILE || code == ENOMEM
    }

    /// Whether the name has no file that can be read: it is absent, a symbolic link or a socket. Other failures are no
    /// fault of the file, and a later try may succeed.
    package static func isNoFile(_ code: Int32) -> Bool {
        code == ENOENT || code == ELOOP || code == ENXIO
    }

    /// Whether the name belongs to something that can't be removed and is no regular file: a folder that isn't empty.
    package static func isObstacle(_ code: Int32) -> Bool {
        code == ENOTEMPTY || code == EEXIST || code == ENOTDIR || code == EBUSY
    }

    /// The system's message for an error number.
    package static func message(_ code: Int32) -> String {
        String(cString: strerror(code))
    }
}
