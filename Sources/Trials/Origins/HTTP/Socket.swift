import Foundation
import Platform
import TrialModel

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
    /// How long a receiving call may block; see ``letCallsBlock()``.
    private static let blockSeconds = 1

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
        let descriptor = openStreamSocket(address.family)
        guard descriptor >= 0 else { throw lastError() }
        let opened = Socket(descriptor)
        raiseNoSignals(from: descriptor)
        // A request is one small packet, which must not wait for more data.
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        if address.withAddress({ connect(descriptor, $0, $1) }) == 0 { return opened }
        guard [EINPROGRESS, EINTR].contains(errno) else { throw lastError() }
        try opened.wait(forWriting: true, until: deadline)
        var number: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size) == 0 else { throw lastError() }
        guard number == 0 else { throw .systemError(number) }
        return opened
    }

    private static func lastError() -> ExchangeFailure { .systemError(errno) }

    /// Lets calls that receive block, for a second at most: a caller with more time than that needs one system call in
    /// place of two.
    func letCallsBlock() {
        var time = timeval(tv_sec: Self.blockSeconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        guard setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, size) == 0 else { return }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    }

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
        while true {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, noSignal | Int32(MSG_DONTWAIT))
            }
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
            let now = Nanoclock.now()
            guard now < deadline else { throw .timedOut }
            let mayBlock = deadline - now > UInt64(Self.blockSeconds) * 1_000_000_000
            let count = recv(descriptor, buffer.baseAddress, buffer.count, mayBlock ? 0 : Int32(MSG_DONTWAIT))
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

/// The place of a server, from its address: `http://host:port`.
struct ServerEndpoint: Sendable {
    /// The name and the port, as a request writes them.
    let authority: String
    private let host: String
    private let port: UInt16

    /// Reads an address; `nil` when it is not the address of a server, or has more than a name and a port.
    init?(_ address: String) {
        guard let parts = URLComponents(string: address), parts.scheme == "http", let found = parts.host,
            ["", "/"].contains(parts.path), parts.query == nil, parts.fragment == nil, parts.user == nil,
            let port = UInt16(exactly: parts.port ?? 80), port > 0
        else { return nil }
        host = found.hasPrefix("[") && found.hasSuffix("]") ? String(found.dropFirst().dropLast()) : found
        // Text that is written into a request must not end its line.
        guard !host.isEmpty, host.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let name = host.contains(":") ? "[\(host)]" : host
        authority = parts.port == nil ? name : "\(name):\(port)"
        self.port = port
    }

    /// Asks the system for the addresses of the name; blocks until it answers.
    func resolve() throws(ExchangeFailure) -> [ResolvedAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = streamSocket
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, "\(port)", &hints, &list)
        guard status == 0 else { throw .unreachable(String(cString: gai_strerror(status))) }
        defer { freeaddrinfo(list) }
        var addresses: [ResolvedAddress] = []
        var next = list
        while let entry = next?.pointee {
            let bytes = UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen))
            addresses.append(ResolvedAddress(family: entry.ai_family, bytes: Array(bytes)))
            next = entry.ai_next
        }
        return addresses
    }
}

/// An address that a socket can connect to.
struct ResolvedAddress: Sendable {
    let family: Int32
    /// A `sockaddr` of the address family.
    fileprivate let bytes: [UInt8]

    /// Passes the address to a system call.
    func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result? {
        bytes.withUnsafeBytes { raw in
            guard let start = raw.baseAddress else { return nil }
            // The system wrote a `sockaddr`; an array's elements are aligned for it.
            return body(start.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
        }
    }
}
