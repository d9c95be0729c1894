import Foundation
import Origins
import Testing
import TrialModel

@testable import FixtureServer

/// How connections end, and how many are allowed.
@Suite(.timeLimit(.minutes(1)))
struct ConnectionEndTests {
    private static let unknown = "GET /trials/none/log HTTP/1.1\r\n\r\n"
    private static let endOfUnknown = "registers it\n"

    private static func get(_ key: UInt64) -> String { "GET /trials/trial/values/\(key) HTTP/1.1\r\n\r\n" }

    private static func configuration(connectionCountMax: Int) -> FixtureServerConfiguration {
        var configuration = FixtureServerConfiguration()
        configuration.connectionCountMax = connectionCountMax
        configuration.eventLoopCount = 1
        return configuration
    }

    /// Sends a request, closes the sending side, and reads the answer.
    private func ask(_ text: String, _ server: ServerUnderTest) async throws -> RawAnswer {
        try await server.onThread { server in
            let connection = try RawConnection(port: server.port)
            connection.send(text)
            connection.endSending()
            return RawAnswer(connection.readToEnd())
        }
    }

    @Test func `a client that closes its sending side gets the whole answer`() async throws {
        try await ServerUnderTest.run { server in
            let origin = try await server.origin(kind: .article, size: 1 << 20)
            // The first answer waits for its payload, the second has it at hand.
            for _ in 0..<2 {
                let answer = try await ask(Self.get(1), server)
                #expect(answer.status == 200)
                #expect(answer.body.utf8.count > 1 << 20)
            }
            #expect(try await origin.log(phase: 0).abandoned == 0)
            try await origin.shutdown()
        }
    }

    @Test func `a client that closes its sending side during its delay counts as gone`() async throws {
        try await ServerUnderTest.run { server in
            let origin = try await server.origin(delayMilliseconds: 500_000)
            let answer = try await ask(Self.get(1), server)
            #expect(answer.status == 499)
            #expect(try await origin.log(phase: 0).abandoned == 1)
            try await origin.shutdown()
        }
    }

    @Test(arguments: ["GET / HT", "PUT /trials/a HTTP/1.1\r\nContent-Length: 100\r\n\r\n{"])
    func `half a request and an end are not a request`(text: String) async throws {
        try await ServerUnderTest.run { server in
            let answer = try await ask(text, server)
            #expect(answer.status == 400)
        }
    }

    @Test(arguments: [
        ("GET / HTTP/1.0\r\n\r\n", 200), ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200),
        ("GET / HTTP/1.1\r\nConnection: close\r\n\r\n", 200), ("CONNECT x:1 HTTP/1.1\r\n\r\n", 405),
        ("GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", 200),
        ("GET http://x/nothing HTTP/1.1\r\nConnection: close\r\n\r\n", 404),
        ("GET http://x?phase=1 HTTP/1.1\r\nConnection: close\r\n\r\n", 200),
    ])
    func `the server closes after the last request`(text: String, status: Int) async throws {
        try await ServerUnderTest.run { server in
            let answer = RawAnswer(try await server.send(text + Self.unknown))
            #expect(answer.status == status)
            #expect(answer.head.contains("connection: close"))
            #expect(!answer.body.hasSuffix("registers it"))
        }
    }

    @Test func `an answer to HEAD has no body`() async throws {
        try await ServerUnderTest.run { server in
            let text = try await server.onThread { server in
                let connection = try RawConnection(port: server.port)
                connection.send("HEAD / HTTP/1.1\r\n\r\n" + Self.unknown)
                return connection.read(until: Self.endOfUnknown)
            }
            #expect(RawAnswer(text).status == 405)
            #expect(RawAnswer(text).body.hasPrefix("HTTP/1.1 404 Not Found"))
        }
    }

    @Test func `idle connections give way to new ones`() async throws {
        try await ServerUnderTest.run(Self.configuration(connectionCountMax: 16)) { server in
            let (first, last) = try await server.onThread { server in
                let all = try (0..<400).map { _ in try RawConnection(port: server.port) }
                all[399].send(Self.unknown)
                return (all[0].readToEnd(), all[399].read(until: Self.endOfUnknown))
            }
            #expect(first == "")
            #expect(RawAnswer(last).status == 404)
            #expect(try await server.exchange("GET", "/").status == 200)
        }
    }

    @Test func `connections with a request in flight keep their places`() async throws {
        try await ServerUnderTest.run(Self.configuration(connectionCountMax: 4)) { server in
            let registration =
                #"{"seed":1,"values":{"kind":"bytes","size":{"fixed":{"_0":64}}},"#
                + #""origin":{"kind":"server","delay":{"fixed":{"_0":500000000000}}}}"#
            #expect(try await server.exchange("PUT", "/trials/trial", body: registration).status == 204)
            try await server.onThread { server in
                var busy = try (0..<4 as Range<UInt64>).map { key in
                    let connection = try RawConnection(port: server.port)
                    // Both are read at once: the load has begun before the server accepts new connections.
                    connection.send(Self.unknown + Self.get(key))
                    #expect(RawAnswer(connection.read(until: Self.endOfUnknown)).status == 404)
                    return connection
                }
                func status() throws -> Int {
                    let connection = try RawConnection(port: server.port)
                    connection.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
                    return RawAnswer(connection.readToEnd()).status
                }
                let fifth = try status()
                #expect(fifth == 0)
                busy.removeLast()
                while try status() == 0 {}
            }
        }
    }
}
