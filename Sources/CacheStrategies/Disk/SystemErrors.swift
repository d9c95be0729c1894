import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The system's error numbers, by what they mean to the disk cache.
package enum SystemErrors {
    /// A signal came; the call may be made again.
    package static let interrupted = EINTR
    /// Nothing has that name.
    package static let absent = ENOENT
    /// Something has that name already.
    package static let exists = EEXIST
    /// The device is full.
    package static let noSpace = ENOSPC
    /// The device failed.
    package static let ioFailure = EIO
    /// The process has too many files open.
    package static let tooManyOpen = EMFILE
    /// The process may not do this.
    package static let accessDenied = EACCES

    /// Whether the failure says more about the process than about the file: a later try may well succeed.
    static func isShortage(_ code: Int32) -> Bool {
        code == EMFILE || code == ENFILE || code == ENOMEM
    }

    /// Whether something stands at a name that can't be removed, and that is no plain file: a folder with something in it.
    static func isObstacle(_ code: Int32) -> Bool {
        code == ENOTEMPTY || code == EEXIST || code == ENOTDIR || code == EBUSY
    }

    /// The system's words for an error number.
    static func message(_ code: Int32) -> String {
        String(cString: strerror(code))
    }
}
