import NIOCore

/// A client of a Redis server.
///
/// ```swift
/// let client = RedisClient(address: try ServerAddress("127.0.0.1:6379"))
/// try client.open()
/// let reply = try await client.answer(to: client.submit(RESPCommand("GET", "a"), key: Array("a".utf8)))
/// ```
///
/// Requests for one key share a connection and are executed in the order of `submit`.
package final class RedisClient: Sendable {
    private let address: ServerAddress
    private let connections: ServerConnections<RESPDecoder>

    /// A client that has sent no request yet.
    ///
    /// - Parameter timeLimit: the longest time for connecting, and for an answer.
    package init(
        address: ServerAddress, credentials: ServerCredentials? = nil, connectionCount: Int = 2,
        timeLimit: Duration = .seconds(5)
    ) {
        self.address = address
        connections = ServerConnections(
            to: address, count: connectionCount, timeLimit: timeLimit, greeting: credentials?.redisGreeting)
    }

    /// Checks that the server answers. Blocks the thread until it has.
    ///
    /// - Throws: ``ServerError`` when it doesn't, or refuses.
    package func open() throws(ServerError) {
        do throws(ServerError) {
            _ = try blockingAnswer(to: RESPCommand("PING"))
        } catch .refused(let server, let text) where text.hasPrefix("NOAUTH") {
            throw .refused(server: server, reason: "\(text) Set \(ServerCredentials.variables(of: "redis").password).")
        }
    }

    /// Sends a request about a key. Never blocks.
    package func submit(_ command: RESPCommand, key: some Sequence<UInt8>) -> PendingReply<RESPValue> {
        connections.connection(for: key).submit(command.bytes)
    }

    /// Waits for the answer.
    ///
    /// - Returns: the reply; never an error reply.
    /// - Throws: ``ServerError``; `refused` has the server's own text.
    @concurrent
    package func answer(to request: PendingReply<RESPValue>) async throws(ServerError) -> RESPValue {
        try accepted(try await request.value())
    }

    /// Sends a request without a key, and waits for the answer.
    @concurrent
    package func answer(to command: RESPCommand) async throws(ServerError) -> RESPValue {
        try await answer(to: connections.first.submit(command.bytes))
    }

    /// Waits until the server has executed everything that was submitted before, on all connections.
    @concurrent
    package func finishSubmitted() async throws(ServerError) {
        for request in connections.all.map({ $0.submit(RESPCommand("PING").bytes) }) {
            _ = try await answer(to: request)
        }
    }

    /// Sends a request without a key, for a caller that may block its thread.
    package func blockingAnswer(to command: RESPCommand) throws(ServerError) -> RESPValue {
        try accepted(try connections.first.submit(command.bytes).blockingValue())
    }

    private func accepted(_ reply: RESPValue) throws(ServerError) -> RESPValue {
        if case .error(let text) = reply { throw .refused(server: "\(address)", reason: text) }
        return reply
    }

    /// Removes all keys with a prefix, and no others.
    ///
    /// Linear in all keys of the server, including those of other clients: Redis has no index of prefixes.
    ///
    /// - Parameter prefix: taken literally; pattern characters in it are escaped.
    @concurrent
    package func removeKeys(withPrefix prefix: String) async throws(ServerError) {
        let pattern = prefix.reduce(into: "") { pattern, character in
            if "*?[]\\^".contains(character) { pattern.append("\\") }
            pattern.append(character)
        }
        var cursor = "0"
        repeat {
            let reply = try await answer(to: RESPCommand("SCAN", cursor, "MATCH", pattern + "*", "COUNT", "1000"))
            guard let fields = reply.array, fields.count == 2, let next = fields[0].text, let keys = fields[1].array
            else { throw .protocolViolation(server: "\(address)", reason: "its answer to SCAN can't be read") }
            cursor = next
            let names = keys.compactMap { if case .bulk(let name) = $0 { name } else { nil } }
            guard !names.isEmpty else { continue }
            _ = try await answer(to: RESPCommand([ByteBuffer(string: "UNLINK")] + names))
        } while cursor != "0"
    }

    /// Ends all connections. Every caller that waits gets an error.
    package func close() { connections.close() }
}
