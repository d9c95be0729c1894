import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

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
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
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
