/// The number of files and connections that the process may have open.
package enum FileDescriptorLimit {
    /// Raises the soft limit to 65,536, or to the highest that the system allows; the usual 1,024 is too low for a
    /// thousand clients. If it can't be raised, it stays as it is.
    ///
    /// - Returns: the limit that now applies.
    @discardableResult
    package static func raise() -> UInt64 {
        #if canImport(Darwin)
            let most = rlim_t(OPEN_MAX)
        #else
            let most = rlim_t(1 << 16)
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 0 }
        var raised = limit
        raised.rlim_cur = min(limit.rlim_max, most)
        if raised.rlim_cur > limit.rlim_cur, setrlimit(resource, &raised) == 0 { limit = raised }
        return UInt64(limit.rlim_cur)
    }

    /// Lowers the soft limit; files that are open stay open.
    ///
    /// - Returns: whether the limit applies.
    package static func lower(to count: UInt64) -> Bool {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return false }
        limit.rlim_cur = min(limit.rlim_cur, rlim_t(count))
        return setrlimit(resource, &limit) == 0
    }

    #if canImport(Glibc)
        private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
        private static var resource: Int32 { RLIMIT_NOFILE }
    #endif
}

extension stat {
    /// When the file was last changed.
    package var modification: timespec {
        #if canImport(Darwin)
            st_mtimespec
        #else
            st_mtim
        #endif
    }
}

/// The path of a regular file that is open and not empty; `nil` for an empty file and for anything else.
package func filePath(ofNonEmpty descriptor: Int32) -> String? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return nil }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    #if canImport(Darwin)
        guard fcntl(descriptor, F_GETPATH, &buffer) == 0 else { return nil }
    #else
        guard readlink("/proc/self/fd/\(descriptor)", &buffer, Int(PATH_MAX)) > 0 else { return nil }
    #endif
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// A path for `Subprocess.run`, which has it as a `FilePath`: `System` declares that type on Darwin, `SystemPackage`
/// elsewhere.
package func filePath<Path: ExpressibleByStringLiteral>(_ path: String) -> Path
where Path.StringLiteralType == String { Path(stringLiteral: path) }

/// The kind of socket that is a TCP connection, as a system call takes it.
package var streamSocket: Int32 {
    #if canImport(Glibc)
        Int32(SOCK_STREAM.rawValue)
    #else
        SOCK_STREAM
    #endif
}

/// A new non-blocking socket that programs started by this process do not inherit; negative when there is none.
package func openStreamSocket(_ family: Int32) -> Int32 {
    #if canImport(Darwin)
        let descriptor = socket(family, streamSocket, 0)
        if descriptor >= 0 {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        }
        return descriptor
    #elseif canImport(Musl)
        return socket(family, streamSocket | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)
    #else
        return socket(family, streamSocket | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    #endif
}

/// Makes sending over a socket raise no signal when the other side has closed the connection: before the first byte is
/// sent, and with ``noSignal`` at each.
package func raiseNoSignals(from descriptor: Int32) {
    #if canImport(Darwin)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
}

/// The flag of `send` for ``raiseNoSignals(from:)``; 0 where a setting of the socket does it.
@inlinable
package var noSignal: Int32 {
    #if canImport(Darwin)
        0
    #else
        Int32(MSG_NOSIGNAL)
    #endif
}
