import Foundation
import NIOCore
import Testing

@testable import CacheServers

/// Servers that require a password.
@Suite(.timeLimit(.minutes(1)))
struct ServerCredentialsTests {
    private static let secret = "s3cret-word"
    private static let right = ServerCredentials(user: "trials", password: secret)
    private static let wrong = ServerCredentials(user: "trials", password: "another-s3cret")

    private func startRedis() throws -> LocalServer {
        var program = LocalServer.Program.redis
        let plain = program.arguments
        program.arguments = { port, folder in
            plain(port, folder)
                + ["--requirepass", Self.secret, "--user", "trials", "on", ">\(Self.secret)", "~*", "+@all"]
        }
        program.processNumber = { address in
            let client = RedisClient(address: address, credentials: Self.right, timeLimit: .seconds(2))
            defer { client.close() }
            let info = try? client.blockingAnswer(to: RESPCommand("INFO", "server")).text
            return info.flatMap { RedisInfo($0)["process_id"] }.flatMap { Int32($0) }
        }
        return try Programs.start(program)
    }

    private func startMemcached() throws -> LocalServer {
        var program = LocalServer.Program.memcached(mebibytes: 1, itemByteCountMax: 1 << 19)
        let plain = program.arguments
        program.arguments = { port, folder in
            let file = folder.appendingPathComponent("users")
            try? Data("trials:\(Self.secret)\n".utf8).write(to: file)
            return plain(port, folder) + ["-Y", file.path]
        }
        program.processNumber = { address in
            let client = MemcachedClient(address: address, credentials: Self.right, timeLimit: .seconds(2))
            defer { client.close() }
            return (try? client.blockingStatistics())?["pid"].flatMap { Int32($0) }
        }
        return try Programs.start(program)
    }

    /// The error text when a client can't open its server; `nil` when it can.
    private func failure(_ open: () throws -> Void) -> String? {
        do {
            try open()
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test(.enabled(if: Programs.hasRedis, "redis-server is not on PATH"))
    func `a Redis with a password accepts it, with and without a user name`() async throws {
        let server = try startRedis()
        for credentials in [Self.right, ServerCredentials(password: Self.secret)] {
            let client = RedisClient(address: server.address, credentials: credentials)
            try client.open()
            let key = Array("a".utf8)
            _ = try await client.answer(to: client.submit(RESPCommand("SET", "a", "1"), key: key))
            #expect(try await client.answer(to: client.submit(RESPCommand("GET", "a"), key: key)).text == "1")
            client.close()
        }
    }

    @Test(.enabled(if: Programs.hasRedis, "redis-server is not on PATH"))
    func `a Redis with a password refuses other clients, and the message does not contain the password`() throws {
        let server = try startRedis()
        let wrong = failure { try RedisClient(address: server.address, credentials: Self.wrong).open() }
        #expect(wrong?.hasPrefix("\(server.address): WRONGPASS ") == true, "\(wrong ?? "")")
        #expect(wrong?.contains("s3cret") == false)
        let none = failure { try RedisClient(address: server.address).open() }
        #expect(none?.hasSuffix("Set CACHE_TRIALS_REDIS_PASSWORD.") == true, "\(none ?? "")")
    }

    @Test(.enabled(if: Programs.hasMemcached, "memcached is not on PATH"))
    func `a memcached with users accepts each of them`() async throws {
        let server = try startMemcached()
        let client = MemcachedClient(address: server.address, credentials: Self.right)
        try client.open()
        let key = try #require(MemcachedClient.Key("a"))
        #expect(try await client.isDone(client.submitSet(key, ByteBuffer(string: "1"), seconds: 0)))
        #expect(try await client.value(of: client.submitGet(key)) == ByteBuffer(string: "1"))
        client.close()
    }

    @Test(.enabled(if: Programs.hasMemcached, "memcached is not on PATH"))
    func `a memcached with users refuses other clients, and the message does not contain the password`() throws {
        let server = try startMemcached()
        let wrong = failure { try MemcachedClient(address: server.address, credentials: Self.wrong).open() }
        #expect(wrong?.hasPrefix("\(server.address): CLIENT_ERROR ") == true, "\(wrong ?? "")")
        #expect(wrong?.contains("s3cret") == false)
        let none = failure { try MemcachedClient(address: server.address).open() }
        #expect(
            none?.hasSuffix("Set CACHE_TRIALS_MEMCACHED_USER and CACHE_TRIALS_MEMCACHED_PASSWORD.") == true,
            "\(none ?? "")")
    }

    // The password must not be stored on the server, where later readers could find it.
    @Test(.enabled(if: Programs.hasMemcached, "memcached is not on PATH"))
    func `a memcached that requires no password does not store one`() async throws {
        let server = try Programs.start(.memcached(mebibytes: 1, itemByteCountMax: 1 << 19))
        let client = MemcachedClient(address: server.address, credentials: Self.right)
        try client.open()
        let key = try #require(MemcachedClient.Key("auth"))
        #expect(try await client.value(of: client.submitGet(key)) == nil)
        client.close()
    }

    @Test func `a new connection authenticates again, before any request`() async throws {
        let server = try ScriptedServer { text in
            if text.contains("BYE") { return nil }
            return text.contains("AUTH") ? "+OK\r\n+PONG\r\n" : "+PONG\r\n"
        }
        let connection = PipelinedConnection<RESPDecoder>(to: server.address, greeting: Self.right.redisGreeting)
        for _ in 0..<2 {
            #expect(try await connection.submit(RESPCommand("PING").bytes).value() == .simple("PONG"))
            await #expect(throws: ServerError.self) { try await connection.submit(RESPCommand("BYE").bytes).value() }
        }
    }

    @Test func `an error from a server that repeats the password does not contain it`() async throws {
        let server = try ScriptedServer { _ in "-ERR '\(Self.secret)' is wrong\r\n" }
        let connection = PipelinedConnection<RESPDecoder>(to: server.address, greeting: Self.right.redisGreeting)
        await #expect(throws: ServerError.refused(server: "\(server.address)", reason: "ERR '…' is wrong")) {
            try await connection.submit(RESPCommand("PING").bytes).value()
        }
    }

    @Test func `printed credentials show no secret`() {
        var dumped = ""
        dump(Self.right, to: &dumped)
        for text in ["\(Self.right)", String(reflecting: Self.right), dumped, "\([Self.right])"] {
            #expect(!text.contains("s3cret") && !text.contains("trials"))
        }
    }

    @Test func `the password and the user come from the environment`() throws {
        #expect(try ServerCredentials.inEnvironment(of: "redis", [:]) == nil)
        #expect(try ServerCredentials.inEnvironment(of: "redis", ["CACHE_TRIALS_REDIS_PASSWORD": ""]) == nil)
        let alone = try ServerCredentials.inEnvironment(of: "redis", ["CACHE_TRIALS_REDIS_PASSWORD": "p"])
        #expect(alone?.user == nil && alone?.password == "p")
        let both = ["CACHE_TRIALS_MEMCACHED_USER": "u", "CACHE_TRIALS_MEMCACHED_PASSWORD": "p"]
        #expect(try ServerCredentials.inEnvironment(of: "memcached", both)?.user == "u")
    }

    @Test(arguments: [
        ("redis", ["CACHE_TRIALS_REDIS_USER": "u"], "CACHE_TRIALS_REDIS_PASSWORD is not"),
        ("memcached", ["CACHE_TRIALS_MEMCACHED_PASSWORD": "p"], "set CACHE_TRIALS_MEMCACHED_USER as well"),
        (
            "memcached", ["CACHE_TRIALS_MEMCACHED_PASSWORD": "p q", "CACHE_TRIALS_MEMCACHED_USER": "a"],
            "can't contain blanks"
        ),
    ])
    func `incomplete credentials are an error`(server: String, environment: [String: String], says: String) {
        let error = #expect(throws: ServerCredentials.Mistake.self) {
            try ServerCredentials.inEnvironment(of: server, environment)
        }
        #expect(error?.description.contains(says) == true, "\(error?.description ?? "")")
    }
}
