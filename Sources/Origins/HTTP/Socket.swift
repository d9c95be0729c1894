import TrialModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension ExchangeFailure {
    /// A connection that the system refuses or has lost, in the system's words.
    static func systemError(_ number: Int32) -> ExchangeFailure { .unreachable(String(cString: strerror(number))) }
}

/// A TCP connection whose every wait ends at a deadline. It is closed when its last reference is released.
///
/// Deadlines are points of ``Nanoclock``.
final class Socket: Sendable {
    private let descriptor: Int32

    /// How long connecting may take.
    private static let connectNanosecondsMax: UInt64 = 5_000_000_000
    /// The longest single wait; a longer one is cut into several.
    private static let waitNanosecondsMax: UInt64 = 60_000_000_000

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Connects to the first of the addresses that answers.
    static func connected(
        to addresses: [ResolvedAddress], until deadline: UInt64
    ) throws(ExchangeFailure) -> Socket {
        var failure = ExchangeFailure.unreachable("the name has no address")
        for address in addresses {
            let limit = min(deadline, Nanoclock.now() &+ connectNanosecondsMax)
            do {
                return try connected(to: address, until: limit)
            } catch .timedOut where limit < deadline {
                failure = .unreachable("no connection within \(connectNanosecondsMax / 1_000_000_000) s")
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func connected(to address: ResolvedAddress, until deadline: UInt64) throws(ExchangeFailure) -> Socket
    {
        let descriptor = openedDescriptor(address.family)
        guard descriptor >= 0 else { throw lastError() }
        let opened = Socket(descriptor)
        #if canImport(Darwin)
            opened.set(SOL_SOCKET, SO_NOSIGPIPE)
        #endif
        // A request is one small packet, which must not wait for more data.
        opened.set(Int32(IPPROTO_TCP), TCP_NODELAY)
        if address.withAddress({ connect(descriptor, $0, $1) }) == 0 { return opened }
        guard [EINPROGRESS, EINTR].contains(errno) else { throw lastError() }
        try opened.wait(forWriting: true, until: deadline)
        var number: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size) == 0 else { throw lastError() }
        guard number == 0 else { throw .systemError(number) }
        return opened
    }

    /// A new non-blocking socket that programs started by this process do not inherit.
    private static func openedDescriptor(_ family: Int32) -> Int32 {
        #if canImport(Glibc)
            return socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        #elseif canImport(Musl)
            return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)
        #else
            let descriptor = socket(family, SOCK_STREAM, 0)
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            }
            return descriptor
        #endif
    }

    private func set(_ level: Int32, _ option: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func lastError() -> ExchangeFailure { .systemError(errno) }

    /// Another descriptor of the same connection, which its owner must close; `nil` when the process has too many.
    func copiedDescriptor() -> Int32? {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        return copy >= 0 ? copy : nil
    }

    /// Ends the connection for all its descriptors. Any thread may call it at any time.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Whether the connection is open and has no unread bytes from the server. Costs a system call.
    ///
    /// A connection that received bytes before a request can't be used: the next answer would belong to another
    /// request.
    var isQuiet: Bool {
        var byte: UInt8 = 0
        while true {
            let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
            if count >= 0 { return false }
            if errno != EINTR { return errno == EAGAIN || errno == EWOULDBLOCK }
        }
    }

    /// Sends as much as the system accepts at once.
    ///
    /// - Returns: the number of bytes; `nil` when the connection is lost and none of these bytes was sent.
    func sendSome(_ bytes: ArraySlice<UInt8>) -> Int? {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            // No signal is raised when the server has closed the connection.
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        while true {
            let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
            if count >= 0 { return count }
            if errno != EINTR { return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : nil }
        }
    }

    /// Sends everything.
    ///
    /// - Returns: `false` when the connection is lost and not one byte was sent, so the server can't have counted the
    ///   request.
    func sendAll(_ bytes: [UInt8], until deadline: UInt64) throws(ExchangeFailure) -> Bool {
        var sentCount = 0
        while sentCount < bytes.count {
            guard let count = sendSome(bytes[sentCount...]) else {
                if sentCount == 0 { return false }
                throw Self.lastError()
            }
            sentCount += count
            if sentCount < bytes.count { try wait(forWriting: true, until: deadline) }
        }
        return true
    }

    /// Receives available bytes, or waits for some.
    ///
    /// - Returns: the number of bytes; 0 at the end of the connection.
    func receive(
        into buffer: UnsafeMutableRawBufferPointer, until deadline: UInt64
    ) throws(ExchangeFailure) -> Int {
        while true {
            // A server that never stops sending must not keep the thread beyond the deadline.
            guard Nanoclock.now() < deadline else { throw .timedOut }
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: try wait(forWriting: false, until: deadline)
            default: throw Self.lastError()
            }
        }
    }

    /// Waits until bytes can be sent or were received, or the connection is lost.
    func wait(forWriting: Bool, until deadline: UInt64) throws(ExchangeFailure) {
        var request = pollfd(fd: descriptor, events: Int16(forWriting ? POLLOUT : POLLIN), revents: 0)
        while true {
            let now = Nanoclock.now()
            guard now < deadline else { throw .timedOut }
            // The wait is in whole milliseconds, because Swift has no call with a finer limit. So it may end one
            // millisecond late.
            let milliseconds = max(1, min(deadline - now, Self.waitNanosecondsMax) / 1_000_000)
            let status = poll(&request, 1, Int32(milliseconds))
            if status > 0 { return }
            guard status == 0 || errno == EINTR else { throw Self.lastError() }
        }
    }
}
