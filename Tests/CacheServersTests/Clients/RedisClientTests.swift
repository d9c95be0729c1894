import Foundation
import NIOCore
import TestTiers
import Testing

@testable import CacheServers

/// Two nodes of a real cluster; the first has the lower half of the slots.
private struct Cluster {
    let first: LocalServer
    let second: LocalServer

    init() async throws {
        // The nodes' bus uses a second port (the port plus an offset), which would be out of range for high ports.
        func node() throws -> LocalServer {
            let probe = try Programs.start(.redis())
            let talk = probe.address.port
            probe.stop()
            return try Programs.start(.redis(["--cluster-enabled", "yes", "--cluster-port", "\(talk)"]))
        }
        first = try node()
        second = try node()
        try Self.ask(first, "CLUSTER", "ADDSLOTSRANGE", "0", "8191")
        try Self.ask(second, "CLUSTER", "ADDSLOTSRANGE", "8192", "16383")
        let talk = try Self.ask(second, "CONFIG", "GET", "cluster-port").array?.last?.text ?? ""
        try Self.ask(first, "CLUSTER", "MEET", "127.0.0.1", "\(second.address.port)", talk)
        for server in [first, second] {
            while try Self.ask(server, "CLUSTER", "INFO").text?.contains("cluster_state:ok") != true {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        while try Self.ask(first, "CLUSTER", "SLOTS").array?.count != 2 { try await Task.sleep(for: .milliseconds(20)) }
    }

    @discardableResult
    static func ask(_ server: LocalServer, _ words: String...) throws -> RESPValue {
        let connection = PipelinedConnection<RESPDecoder>(to: server.address)
        defer { connection.close() }
        let reply = try connection.submit(RESPCommand(words.map { ByteBuffer(string: $0) }).bytes).blockingValue()
        if case .error(let text) = reply { throw WireError(text) }
        return reply
    }

    func identity(of server: LocalServer) throws -> String { try Self.ask(server, "CLUSTER", "MYID").text ?? "" }
}

@Suite(.timeLimit(.minutes(1)), .enabled(if: Programs.hasRedis, "redis-server is not on PATH"))
struct RedisClientTests {
    private func set(_ key: String, _ client: RedisClient) async throws -> RESPValue {
        try await client.answer(to: client.submit(RESPCommand("SET", key, "value of \(key)"), key: Array(key.utf8)))
    }

    private func get(_ key: String, _ client: RedisClient) async throws -> String? {
        try await client.answer(to: client.submit(RESPCommand("GET", key), key: Array(key.utf8))).text
    }

    @Test func `a single server is not a cluster`() async throws {
        let server = try Programs.start(.redis())
        let client = RedisClient(addresses: [server.address])
        try client.open()
        #expect(!client.isCluster)
        _ = try await set("a", client)
        #expect(try await get("a", client) == "value of a")
        #expect(try await get("b", client) == nil)
        await #expect(
            throws: ServerError.refused(
                server: "\(server.address)", reason: "ERR value is not an integer or out of range")
        ) {
            try await client.answer(to: client.submit(RESPCommand("INCR", "a"), key: Array("a".utf8)))
        }
        client.close()
    }

    @Test func `servers outside a cluster divide the keys`() async throws {
        let servers = [try Programs.start(.redis()), try Programs.start(.redis())]
        let client = RedisClient(addresses: servers.map(\.address))
        try client.open()
        for number in 0..<50 { _ = try await set("\(number)", client) }
        for number in 0..<50 { #expect(try await get("\(number)", client) == "value of \(number)") }
        let sizes = try await client.answers(to: RESPCommand("DBSIZE")).map(\.integer)
        #expect(sizes.compactMap { $0 }.reduce(0, +) == 50 && !sizes.contains(0))
    }

    @Test func `only keys with the prefix are removed, also when it contains pattern characters`() async throws {
        let server = try Programs.start(.redis())
        let client = RedisClient(addresses: [server.address])
        try client.open()
        // More keys than the thousand of one step.
        let all = (0..<2_500).map { number in
            let key = "a*[b]:\(number)"
            return client.submit(RESPCommand("SET", key, "1"), key: Array(key.utf8))
        }
        for request in all { _ = try await client.answer(to: request) }
        for other in ["abb:1", "a*b:1", "c"] { _ = try await set(other, client) }
        try await client.removeKeys(withPrefix: "a*[b]:")
        #expect(try await client.answers(to: RESPCommand("DBSIZE")) == [.integer(3)])
    }

    @Test func `a cluster is recognised, and every key is found in it`() async throws {
        let cluster = try await Cluster()
        let client = RedisClient(addresses: [cluster.second.address])
        try client.open()
        #expect(client.isCluster)
        #expect(Set(client.addresses) == [cluster.first.address, cluster.second.address])
        for number in 0..<200 { _ = try await set("key \(number)", client) }
        for number in 0..<200 { #expect(try await get("key \(number)", client) == "value of key \(number)") }
        try await client.removeKeys(withPrefix: "key")
        #expect(try await client.answers(to: RESPCommand("DBSIZE")) == [.integer(0), .integer(0)])
    }

    // A cluster answers two seconds after its start.
    @Test(.nightly) func `requests follow a slot that moves, during the move and after it`() async throws {
        let cluster = try await Cluster()
        let client = RedisClient(addresses: [cluster.first.address])
        try client.open()
        let slot = "\(RedisSlot.of(Array("bar".utf8)))"
        _ = try await set("bar", client)
        let (first, second) = (try cluster.identity(of: cluster.first), try cluster.identity(of: cluster.second))
        try Cluster.ask(cluster.second, "CLUSTER", "SETSLOT", slot, "IMPORTING", first)
        try Cluster.ask(cluster.first, "CLUSTER", "SETSLOT", slot, "MIGRATING", second)
        // The first node answers for a key that is present, and the second for one that isn't.
        #expect(try await get("bar", client) == "value of bar")
        _ = try await set("{bar}2", client)
        #expect(try await get("{bar}2", client) == "value of {bar}2")
        #expect(try Cluster.ask(cluster.second, "DBSIZE") == .integer(1))
        try Cluster.ask(
            cluster.first, "MIGRATE", "127.0.0.1", "\(cluster.second.address.port)", "bar", "0", "2000")
        for server in [cluster.second, cluster.first] {
            try Cluster.ask(server, "CLUSTER", "SETSLOT", slot, "NODE", second)
        }
        #expect(try await get("bar", client) == "value of bar")
        #expect(try await get("{bar}2", client) == "value of {bar}2")
    }
}
