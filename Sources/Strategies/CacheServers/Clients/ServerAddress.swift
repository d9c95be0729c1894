/// The address on which a server listens: a host and a port.
package struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
    package let host: String
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// A text that is not the address of a server.
    package struct Mistake: Error, Hashable, CustomStringConvertible {
        package let text: String

        package var description: String {
            "'\(text)' is not the address of \(text.contains(",") ? "one" : "a") server: write host:port, such as "
                + "10.0.0.5:6379 or [::1]:6379, the port from 1 to 65535"
        }
    }

    /// Parses `host:port`, where the host is a name, an IPv4 address, or an IPv6 address in brackets.
    package init(_ text: String) throws(Mistake) {
        guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[text.index(after: colon)...]) else {
            throw Mistake(text: text)
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw Mistake(text: text)
        }
        guard !host.isEmpty, host.utf8.count <= 253, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2C })
        else { throw Mistake(text: text) }
        self.init(host: String(host), port: port)
    }

    /// A port in decimal digits; `nil` for anything else, such as a sign.
    private static func port(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = Int(text), (1...65_535).contains(port)
        else { return nil }
        return port
    }

    /// The form that ``init(_:)`` parses.
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
