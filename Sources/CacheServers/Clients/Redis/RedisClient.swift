import Locks
import NIOCore

/// A client of a Redis server, of several, or of a Redis cluster.
///
/// ```swift
/// let client = RedisClient(addresses: [try ServerAddress("127.0.0.1:6379")])
/// try client.open()
/// let reply = try await client.answer(to: client.submit(RESPCommand("GET", "a"), key: Array("a".utf8)))
/// ```
///
/// - Every node has a few connections with many requests in flight on each. Requests for one key share a connection and
///   are executed in the order of `submit`; if a cluster moves a slot meanwhile, in the order of the answers.
/// - A cluster is recognised by its answer to `CLUSTER SLOTS`. The client follows `MOVED`, `ASK` and `TRYAGAIN`.
///   Several servers that are not a cluster divide the keys by their slots.
/// - When a node is gone, its requests fail with an error; the next request connects anew.
package final class RedisClient: Sendable {
    /// A request in flight.
    package struct Request: Sendable {
        let command: RESPCommand
        let key: [UInt8]
        let node: RedisNode
        let reply: PendingReply<RESPValue>
    }

    private let seeds: [ServerAddress]
    private let connectionCount: Int
    private let timeLimit: Duration
    private let credentials: ServerCredentials?
    private let topology: Locked<RedisTopology>

    /// The most redirections of a request: a cluster that redirects in circles is broken.
    private static let redirectionCountMax = 8

    /// A client that has sent no request yet.
    ///
    /// - Parameters:
    ///   - addresses: the addresses of the servers, or of some nodes of a cluster; at least one.
    ///   - credentials: the credentials for all of them, and for the nodes that a cluster names.
    ///   - connectionCount: the number of connections to each node.
    ///   - timeLimit: the longest time for connecting, and for an answer.
    package init(
        addresses: [ServerAddress], credentials: ServerCredentials? = nil, connectionCount: Int = 2,
        timeLimit: Duration = .seconds(5)
    ) {
        seeds = addresses
        self.connectionCount = connectionCount
        self.timeLimit = timeLimit
        self.credentials = credentials
        topology = Locked(
            RedisTopology(
                nodes: addresses.map {
                    RedisNode($0, credentials, connectionCount: connectionCount, timeLimit: timeLimit)
                }))
    }

    /// Finds out whether the server is a cluster. Blocks the thread until it has answered.
    ///
    /// - Throws: ``ServerError`` when no server answers; without a cluster, when any of several servers doesn't answer.
    package func open() throws(ServerError) {
        var failure = ServerError.closed(server: "redis")
        for seed in topology.withLock(\.nodes) {
            let reply: RESPValue
            do throws(ServerError) {
                reply = try seed.anyConnection.submit(RESPCommand("CLUSTER", "SLOTS").bytes).blockingValue()
            } catch {
                failure = error
                continue
            }
            switch reply {
            case .error(let text) where text.hasPrefix("NOAUTH"):
                let variable = ServerCredentials.variables(of: "redis").password
                throw .refused(server: "\(seed.address)", reason: "\(text) Set \(variable).")
            case .error: return try checkAll()
            default: return try useCluster(reply, seed.address)
            }
        }
        throw failure
    }

    private func useCluster(_ reply: RESPValue, _ seed: ServerAddress) throws(ServerError) {
        guard let found = RedisTopology(clusterSlots: reply, from: seed, node: makeNode) else {
            throw .protocolViolation(server: "\(seed)", reason: "its answer to CLUSTER SLOTS can't be read")
        }
        let before = topology.withLock { topology in
            let before = topology.nodes
            topology = found
            return before
        }
        for node in before { node.close() }
    }

    /// Without a cluster every server has its own keys, so all of them must answer.
    private func checkAll() throws(ServerError) {
        for node in topology.withLock(\.nodes) {
            let reply = try node.anyConnection.submit(RESPCommand("PING").bytes).blockingValue()
            if case .error(let text) = reply { throw .refused(server: "\(node.address)", reason: text) }
        }
    }

    private func makeNode(_ address: ServerAddress) -> RedisNode {
        RedisNode(address, credentials, connectionCount: connectionCount, timeLimit: timeLimit)
    }

    /// Whether the servers are a cluster.
    package var isCluster: Bool { topology.withLock { $0.owners != nil } }

    /// The nodes that hold keys.
    package var addresses: [ServerAddress] { topology.withLock { $0.nodes.map(\.address) } }

    /// Sends a request to the node that has the key. Never blocks.
    package func submit(_ command: RESPCommand, key: [UInt8]) -> Request {
        let node = topology.withLock { $0.node(of: key) }
        return Request(
            command: command, key: key, node: node, reply: node.connection(for: key).submit(command.bytes))
    }

    /// Waits for the answer, and follows the cluster's redirections.
    ///
    /// - Returns: the reply; never an error reply.
    /// - Throws: ``ServerError``; `refused` has the server's own text.
    @concurrent
    package func answer(to request: Request) async throws(ServerError) -> RESPValue {
        var node = request.node
        var reply = try await request.reply.value()
        for _ in 0..<Self.redirectionCountMax {
            guard case .error(let text) = reply else { return reply }
            guard let redirection = RedisRedirection(text, from: node.address) else {
                throw .refused(server: "\(node.address)", reason: text)
            }
            switch redirection {
            case .moved(let slot, let address):
                guard let next = topology.withLock({ $0.move(slot, to: address, makeNode) }) else {
                    throw .protocolViolation(server: "\(node.address)", reason: "it names too many nodes")
                }
                node = next
                reply = try await node.connection(for: request.key).submit(request.command.bytes).value()
            case .ask(let address):
                node = knownNode(address)
                let both = node.connection(for: request.key).submit([
                    RESPCommand("ASKING").bytes, request.command.bytes,
                ])
                for answer in both { reply = try await answer.value() }
            case .tryAgain:
                try? await Task.sleep(for: .milliseconds(5))
                reply = try await node.connection(for: request.key).submit(request.command.bytes).value()
            }
        }
        throw .refused(server: "\(node.address)", reason: "it was redirected \(Self.redirectionCountMax) times")
    }

    private func knownNode(_ address: ServerAddress) -> RedisNode {
        topology.withLock { topology in topology.nodes.first { $0.address == address } } ?? makeNode(address)
    }

    /// Sends a request without a key to every node, and waits for all answers.
    ///
    /// - Throws: ``ServerError`` when a node doesn't answer, or refuses.
    @concurrent
    package func answers(to command: RESPCommand) async throws(ServerError) -> [RESPValue] {
        let nodes = topology.withLock(\.nodes)
        let pending = nodes.map { ($0.address, $0.anyConnection.submit(command.bytes)) }
        var answers: [RESPValue] = []
        for (address, reply) in pending {
            let answer = try await reply.value()
            if case .error(let text) = answer { throw .refused(server: "\(address)", reason: text) }
            answers.append(answer)
        }
        return answers
    }

    /// Sends a request without a key to every node, for a caller that may block its thread.
    package func blockingAnswers(to command: RESPCommand) throws(ServerError) -> [RESPValue] {
        let nodes = topology.withLock(\.nodes)
        let pending = nodes.map { ($0.address, $0.anyConnection.submit(command.bytes)) }
        var answers: [RESPValue] = []
        for (address, reply) in pending {
            let answer = try reply.blockingValue()
            if case .error(let text) = answer { throw .refused(server: "\(address)", reason: text) }
            answers.append(answer)
        }
        return answers
    }

    /// Removes all keys with a prefix from every node, and no others.
    ///
    /// Linear in all keys of the servers, including those of other clients: Redis has no index of prefixes.
    ///
    /// - Parameter prefix: taken literally; pattern characters in it are escaped.
    @concurrent
    package func removeKeys(withPrefix prefix: String) async throws(ServerError) {
        let pattern = prefix.reduce(into: "") { pattern, character in
            if "*?[]\\^".contains(character) { pattern.append("\\") }
            pattern.append(character)
        }
        for node in topology.withLock(\.nodes) {
            var cursor = "0"
            repeat {
                let scan = RESPCommand("SCAN", cursor, "MATCH", pattern + "*", "COUNT", "1000")
                let reply = try await node.anyConnection.submit(scan.bytes).value()
                guard let fields = reply.array, fields.count == 2, let next = fields[0].text,
                    let keys = fields[1].array
                else { throw .protocolViolation(server: "\(node.address)", reason: "its answer to SCAN can't be read") }
                cursor = next
                try await remove(keys, from: node)
            } while cursor != "0"
        }
    }

    /// One command per key: in a cluster no command may name keys of several slots.
    private func remove(_ keys: [RESPValue], from node: RedisNode) async throws(ServerError) {
        var pending: [PendingReply<RESPValue>] = []
        for case .bulk(let key) in keys {
            let command = RESPCommand([ByteBuffer(string: "UNLINK"), key])
            pending.append(node.connection(for: key.readableBytesView).submit(command.bytes))
        }
        for reply in pending {
            // A key that has moved to another node meanwhile is found there.
            if case .error(let text) = try await reply.value(), !text.hasPrefix("MOVED"), !text.hasPrefix("ASK") {
                throw .refused(server: "\(node.address)", reason: text)
            }
        }
    }

    /// Ends all connections. Every caller that waits gets an error.
    package func close() {
        for node in topology.withLock(\.nodes) { node.close() }
    }
}
