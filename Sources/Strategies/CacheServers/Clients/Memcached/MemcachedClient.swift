package import NIOCore

/// A client of a memcached server.
///
/// Requests for one key share a connection and are executed in the order of `submit`.
package final class MemcachedClient: Sendable {
    /// A request in flight.
    package struct Request: Sendable {
        let key: String
        let connection: PipelinedConnection<MemcachedDecoder>
        let reply: PendingReply<MemcachedReply>
    }

    /// A valid memcached key: 1 to 250 bytes of ASCII without blanks and control characters.
    package struct Key: Sendable, Hashable {
        package let text: String

        /// A key that consists of a prefix, of which at most 150 bytes are used, and a digest in hexadecimal digits.
        package init(digest: String, after beginning: String) {
            let wanted = Array(beginning.utf8.prefix(150)) + [UInt8(ascii: "d")] + Array(digest.utf8.prefix(99))
            let allowed = wanted.filter { (0x21...0x7E).contains($0) }
            text = String(decoding: allowed, as: UTF8.self)
        }

        /// `nil` for a text that is not a valid key.
        package init?(_ text: String) {
            guard (1...250).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                return nil
            }
            self.text = text
        }
    }

    private let address: ServerAddress
    private let connections: ServerConnections<MemcachedDecoder>

    /// A client that has sent no request yet.
    ///
    /// - Parameter timeLimit: the longest time for connecting, and for an answer.
    package init(
        address: ServerAddress, credentials: ServerCredentials? = nil, connectionCount: Int = 2,
        timeLimit: Duration = .seconds(5)
    ) {
        self.address = address
        connections = ServerConnections(
            to: address, count: connectionCount, timeLimit: timeLimit, greeting: credentials?.memcachedGreeting)
    }

    /// Asks the server for its version. Blocks the thread until it has answered.
    ///
    /// - Throws: ``ServerError`` when it doesn't answer or refuses.
    package func open() throws(ServerError) {
        let reply = try send("version").blockingValue()
        if case .error(let text) = reply, text.hasPrefix("CLIENT_ERROR unauthenticated") {
            let (user, password) = ServerCredentials.variables(of: "memcached")
            throw .refused(server: "\(address)", reason: "\(text). Set \(user) and \(password).")
        }
        guard case .line(let text) = reply, text.hasPrefix("VERSION ") else {
            throw .protocolViolation(server: "\(address)", reason: "it doesn't report its version")
        }
    }

    /// Requests an item. Never blocks.
    package func submitGet(_ key: Key) -> Request { submit(key, Self.line("get \(key.text)")) }

    /// Removes an item. Never blocks.
    package func submitDelete(_ key: Key) -> Request { submit(key, Self.line("delete \(key.text)")) }

    /// Stores an item. Never blocks.
    ///
    /// - Parameters:
    ///   - onlyIfAbsent: keeps an existing item.
    ///   - seconds: the item's lifetime; 0 for no limit.
    package func submitSet(_ key: Key, _ value: ByteBuffer, seconds: Int, onlyIfAbsent: Bool = false) -> Request {
        var bytes = ByteBuffer()
        bytes.reserveCapacity(value.readableBytes + key.text.utf8.count + 48)
        bytes.writeString(
            "\(onlyIfAbsent ? "add" : "set") \(key.text) 0 \(max(seconds, 0)) \(value.readableBytes)\r\n")
        bytes.writeImmutableBuffer(value)
        bytes.writeString("\r\n")
        return submit(key, bytes)
    }

    private func submit(_ key: Key, _ bytes: ByteBuffer) -> Request {
        let connection = connections.connection(for: key.text.utf8)
        return Request(key: key.text, connection: connection, reply: connection.submit(bytes))
    }

    /// Waits for the result of `get`; `nil` for a miss.
    ///
    /// - Throws: ``ServerError``; also when the answer is about another key, after which the connection is opened anew.
    @concurrent
    package func value(of request: Request) async throws(ServerError) -> ByteBuffer? {
        switch try await request.reply.value() {
        case .values(let values) where values.isEmpty: return nil
        case .values(let values) where values.count == 1 && values[0].key == request.key: return values[0].bytes
        case .error(let text): throw refusal(text)
        default: throw violation(request)
        }
    }

    /// Waits until an item is stored or removed.
    ///
    /// - Returns: whether it was stored or removed; false when `add` found an item, or `delete` found none.
    @concurrent
    package func isDone(_ request: Request) async throws(ServerError) -> Bool {
        switch try await request.reply.value() {
        case .line("STORED"), .line("DELETED"): return true
        case .line("NOT_STORED"), .line("NOT_FOUND"): return false
        case .error(let text): throw refusal(text)
        default: throw violation(request)
        }
    }

    private func refusal(_ text: String) -> ServerError {
        .refused(server: "\(address)", reason: text)
    }

    private func violation(_ request: Request) -> ServerError {
        let reason = "an answer to another request than that for \(request.key)"
        request.connection.reset(reason)
        return .protocolViolation(server: "\(address)", reason: reason)
    }

    /// Makes the server forget all its items, including those of other clients.
    @concurrent
    package func flushAll() async throws(ServerError) {
        guard try await send("flush_all").value() == .line("OK") else {
            throw .refused(server: "\(address)", reason: "it doesn't support flush_all")
        }
    }

    /// The server's statistics.
    @concurrent
    package func statistics() async throws(ServerError) -> [String: String] {
        try statistics(try await send("stats").value())
    }

    /// The server's statistics, for a caller that may block its thread.
    package func blockingStatistics() throws(ServerError) -> [String: String] {
        try statistics(try send("stats").blockingValue())
    }

    private func statistics(_ reply: MemcachedReply) throws(ServerError) -> [String: String] {
        guard case .statistics(let statistics) = reply else {
            throw .protocolViolation(server: "\(address)", reason: "its answer to 'stats' is not a list")
        }
        return statistics
    }

    /// Sends a command without a key.
    private func send(_ command: String) -> PendingReply<MemcachedReply> {
        connections.first.submit(Self.line(command))
    }

    private static func line(_ text: String) -> ByteBuffer { ByteBuffer(string: text + "\r\n") }

    /// Ends all connections. Every caller that waits gets an error.
    package func close() { connections.close() }
}
