import Testing

@testable import CacheServers

@Suite(.timeLimit(.minutes(1)), .enabled(if: Programs.hasRedis, "redis-server is not on PATH"))
struct RedisClientTests {
    private func set(_ key: String, _ client: RedisClient) async throws -> RESPValue {
        try await client.answer(to: client.submit(RESPCommand("SET", key, "value of \(key)"), key: Array(key.utf8)))
    }

    private func get(_ key: String, _ client: RedisClient) async throws -> String? {
        try await client.answer(to: client.submit(RESPCommand("GET", key), key: Array(key.utf8))).text
    }

    @Test func `entries are found, and an error is the server's own text`() async throws {
        let server = try Programs.start(.redis)
        let client = RedisClient(address: server.address)
        try client.open()
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

    @Test func `only keys with the prefix are removed, also when it contains pattern characters`() async throws {
        let server = try Programs.start(.redis)
        let client = RedisClient(address: server.address)
        try client.open()
        // More keys than the thousand of one step.
        let all = (0..<2_500).map { number in
            let key = "a*[b]:\(number)"
            return client.submit(RESPCommand("SET", key, "1"), key: Array(key.utf8))
        }
        for request in all { _ = try await client.answer(to: request) }
        for other in ["abb:1", "a*b:1", "c"] { _ = try await set(other, client) }
        try await client.removeKeys(withPrefix: "a*[b]:")
        #expect(try await client.answer(to: RESPCommand("DBSIZE")) == .integer(3))
    }
}
