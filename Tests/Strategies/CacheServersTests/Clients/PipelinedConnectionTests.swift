import NIOCore
import Testing

@testable import CacheServers

@Suite(.timeLimit(.minutes(1)))
struct PipelinedConnectionTests {
    private static let ping = RESPCommand("PING").bytes

    @Test(.enabled(if: Programs.hasRedis, "redis-server is not on PATH"))
    func `a thousand requests in flight get their own replies, in order`() async throws {
        let server = try Programs.start(.redis)
        let connection = PipelinedConnection<RESPDecoder>(to: server.address)
        let replies = (0..<1000).map { connection.submit(RESPCommand("ECHO", "\($0)").bytes) }
        for (number, reply) in replies.enumerated() { #expect(try await reply.value().text == "\(number)") }
        connection.close()
    }

    @Test func `connecting to a port without a listener fails at once`() async throws {
        let connection = PipelinedConnection<RESPDecoder>(to: ServerAddress(host: "127.0.0.1", port: 1))
        for _ in 0..<2 {
            await #expect(throws: ServerError.self) { try await connection.submit(Self.ping).value() }
        }
    }

    @Test func `a connection that ends fails all waiting requests, and the next request reconnects`() async throws {
        let server = try ScriptedServer { $0.contains("BYE") ? nil : "+PONG\r\n" }
        let connection = PipelinedConnection<RESPDecoder>(to: server.address)
        #expect(try await connection.submit(Self.ping).value() == .simple("PONG"))
        let lost = (0..<100).map { _ in connection.submit(RESPCommand("BYE").bytes) }
        for reply in lost {
            await #expect(throws: ServerError.self) { try await reply.value() }
        }
        #expect(try await connection.submit(Self.ping).value() == .simple("PONG"))
    }

    @Test func `an invalid reply ends the connection with its reason`() async throws {
        let server = try ScriptedServer { _ in "!?\r\n" }
        let connection = PipelinedConnection<RESPDecoder>(to: server.address)
        do {
            _ = try await connection.submit(Self.ping).value()
            Issue.record("the request returns a value")
        } catch {
            guard case .protocolViolation = error else { throw error }
        }
    }

    @Test func `an unrequested reply ends the connection`() async throws {
        let server = try ScriptedServer { _ in "+PONG\r\n+PONG\r\n" }
        let connection = PipelinedConnection<RESPDecoder>(to: server.address)
        #expect(try await connection.submit(Self.ping).value() == .simple("PONG"))
    }

    @Test func `a request to a server that doesn't answer times out`() async throws {
        let server = try ScriptedServer { _ in "" }
        let connection = PipelinedConnection<RESPDecoder>(to: server.address, timeLimit: .milliseconds(100))
        let all = (0..<10).map { _ in connection.submit(Self.ping) }
        for reply in all {
            do {
                _ = try await reply.value()
                Issue.record("the request returns a value")
            } catch {
                guard case .timedOut = error else { throw error }
            }
        }
    }

    // The cancelled caller's request is already in flight; the other callers still get their own replies.
    @Test(.enabled(if: Programs.hasRedis, "redis-server is not on PATH"))
    func `cancelled callers do not disturb the others`() async throws {
        let server = try Programs.start(.redis)
        let connection = PipelinedConnection<RESPDecoder>(to: server.address)
        let callers = (0..<200).map { number in
            Task { try await connection.submit(RESPCommand("ECHO", "\(number)").bytes).value().text }
        }
        for (number, caller) in callers.enumerated() where number.isMultiple(of: 2) { caller.cancel() }
        for (number, caller) in callers.enumerated() { #expect(try await caller.value == "\(number)") }
    }

    @Test func `a closed connection refuses requests, and fails the waiting ones`() async throws {
        let server = try ScriptedServer { _ in "" }
        let connection = PipelinedConnection<RESPDecoder>(to: server.address)
        let waiting = connection.submit(Self.ping)
        connection.close()
        await #expect(throws: ServerError.self) { try await waiting.value() }
        await #expect(throws: ServerError.self) { try await connection.submit(Self.ping).value() }
    }
}
