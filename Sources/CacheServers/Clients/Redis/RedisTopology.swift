/// The assignment of keys to nodes.
struct RedisTopology: Sendable {
    /// The nodes that hold keys, without their replicas; never empty.
    private(set) var nodes: [RedisNode]
    /// The index of the node for each slot of a cluster; `nil` where the nodes are independent, and the client divides
    /// the keys among them.
    private(set) var owners: [Int]?

    /// More nodes than any cluster has; a server that reports more is broken.
    static let nodeCountMax = 1_000

    /// Independent nodes.
    init(nodes: [RedisNode]) {
        self.nodes = nodes
        owners = nil
    }

    /// Parses the answer to `CLUSTER SLOTS`; `nil` when it can't be parsed.
    ///
    /// - Parameters:
    ///   - origin: the answering server, used where the answer leaves its host out.
    ///   - node: makes the client side of a node.
    init?(clusterSlots reply: RESPValue, from origin: ServerAddress, node: (ServerAddress) -> RedisNode) {
        guard let ranges = reply.array else { return nil }
        nodes = []
        var owners = [Int](repeating: 0, count: RedisSlot.count)
        for range in ranges {
            guard let fields = range.array, fields.count >= 3, let first = fields[0].integer,
                let last = fields[1].integer, first >= 0, first <= last, last < RedisSlot.count,
                let master = fields[2].array, master.count >= 2, let port = master[1].integer,
                (1...65_535).contains(port)
            else { return nil }
            let host = master[0].text.flatMap { $0.isEmpty ? nil : $0 } ?? origin.host
            guard let owner = find(ServerAddress(host: host, port: port), node) else { return nil }
            for slot in first...last { owners[slot] = owner }
        }
        if nodes.isEmpty { nodes = [node(origin)] }
        self.owners = owners
    }

    /// The node that has a key.
    func node(of key: some Collection<UInt8>) -> RedisNode {
        let slot = RedisSlot.of(key)
        return nodes[owners.map { $0[slot] } ?? slot % nodes.count]
    }

    /// Records that a slot has moved.
    ///
    /// - Returns: its node; `nil` when there are too many nodes.
    mutating func move(_ slot: Int, to address: ServerAddress, _ node: (ServerAddress) -> RedisNode) -> RedisNode? {
        guard let owner = find(address, node) else { return nil }
        owners?[slot] = owner
        return nodes[owner]
    }

    /// The index of a node, which is added if necessary.
    private mutating func find(_ address: ServerAddress, _ node: (ServerAddress) -> RedisNode) -> Int? {
        if let found = nodes.firstIndex(where: { $0.address == address }) { return found }
        guard nodes.count < Self.nodeCountMax else { return nil }
        nodes.append(node(address))
        return nodes.count - 1
    }
}

/// A Redis server and the connections to it.
final class RedisNode: Sendable {
    let address: ServerAddress
    private let connections: [PipelinedConnection<RESPDecoder>]

    init(_ address: ServerAddress, _ credentials: ServerCredentials?, connectionCount: Int, timeLimit: Duration) {
        self.address = address
        connections = (0..<max(connectionCount, 1)).map { _ in
            PipelinedConnection(to: address, timeLimit: timeLimit, greeting: credentials?.redisGreeting)
        }
    }

    /// Always the same connection for one key, so that its requests are executed in order.
    func connection(for key: some Collection<UInt8>) -> PipelinedConnection<RESPDecoder> {
        // The bits differ from those that choose the node; otherwise some connections would get no keys.
        connections[Int(RedisSlot.crc16(key) >> 3) % connections.count]
    }

    /// A connection for requests without a key.
    var anyConnection: PipelinedConnection<RESPDecoder> { connections[0] }

    func close() {
        for connection in connections { connection.close() }
    }
}
