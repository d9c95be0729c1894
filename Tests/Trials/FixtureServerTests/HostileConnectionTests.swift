import Foundation
import Origins
import Testing
import TrialModel

@testable import FixtureServer

/// Clients that keep the server busy or waiting: other clients are not affected.
@Suite(.timeLimit(.minutes(1)))
struct HostileConnectionTests {
    private static let unknown = "GET /trials/none/log HTTP/1.1\r\n\r\n"
    private static let endOfUnknown = "registers it\n"

    /// A limit of a twentieth of a second for a request.
    private static let hasty: FixtureServerConfiguration = {
        var configuration = FixtureServerConfiguration()
        configuration.requestMillisecondsMax = 50
        return configuration
    }()

    private static func get(_ key: UInt64) -> String { "GET /trials/trial/values/\(key) HTTP/1.1\r\n\r\n" }

    @Test(arguments: [
        "G", "GET / HTTP/1.1\r\nHo", "PUT /trials/a HTTP/1.1\r\nContent-Length: 100\r\n\r\n{", "\r\n",
        "PUT /trials/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
    ])
    func `a request that doesn't end times out`(start: String) async throws {
        try await ServerUnderTest.run(Self.hasty) { server in
            let (answer, answerOfIdle) = try await server.onThread { server in
                let idle = try RawConnection(port: server.port)
                let slow = try RawConnection(port: server.port)
                // Neither the first request nor a later one; but a connection without any request may last.
                slow.send(Self.unknown)
                let first = slow.read(until: Self.endOfUnknown)
                #expect(RawAnswer(first).status == 404)
                slow.send(start)
                let answer = RawAnswer(slow.readToEnd())
                idle.send(Self.unknown)
                return (answer, RawAnswer(idle.read(until: Self.endOfUnknown)))
            }
            #expect(answer.status == 408)
            #expect(answer.body == "the request took longer than 0.05 s")
            #expect(answerOfIdle.status == 404)
        }
    }

    @Test(arguments: [
        "GET /\(String(repeating: "a", count: 9_000)) HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nx: \(String(repeating: "y", count: 9_000))\r\n\r\n",
        "GET / HTTP/1.1\r\n\(String(repeating: "x: y\r\n", count: 101))\r\n",
        "GET / HTTP/1.1\r\n\(String(repeating: "x: \(String(repeating: "y", count: 7_000))\r\n", count: 5))\r\n",
    ])
    func `a huge header is refused`(request: String) async throws {
        try await ServerUnderTest.run { server in
            let answer = RawAnswer(try await server.send(request))
            #expect(answer.status == 400)
            #expect(try await server.exchange("GET", "/").status == 200)
        }
    }

    @Test func `pipelined requests are answered one after the other`() async throws {
        try await ServerUnderTest.run { server in
            let origin = try await server.origin(size: 64, delayMilliseconds: 5)
            let text = try await server.onThread { server in
                let connection = try RawConnection(port: server.port)
                connection.send((0..<20).map { Self.get($0 / 2) + Self.unknown }.joined())
                connection.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n" + Self.unknown)
                return connection.readToEnd()
            }
            #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == 1 + 20 + 1)
            // The request after the last allowed one isn't answered.
            #expect(text.components(separatedBy: "HTTP/1.1 404 Not Found").count == 1 + 20)
            let log = try await origin.log(phase: 0)
            #expect(log.requests == 20)
            #expect(log.duplicates == 0)
            #expect(log.maxConcurrent == 1)
            try await origin.shutdown()
        }
    }

    @Test func `requests behind one that waits use no call stack`() async throws {
        try await ServerUnderTest.run { server in
            let origin = try await server.origin(delayMilliseconds: 500_000)
            // About as many as the system buffers for a server that doesn't read: the end of the stream has to
            // arrive.
            let count = 1_500
            let text = try await server.onThread { server in
                let connection = try RawConnection(port: server.port)
                connection.send(Self.get(1) + String(repeating: Self.unknown, count: count))
                connection.endSending()
                return connection.readToEnd()
            }
            #expect(text.hasPrefix("HTTP/1.1 499 "))
            #expect(text.components(separatedBy: "HTTP/1.1 404 Not Found").count == 1 + count)
            #expect(try await origin.log(phase: 0).abandoned == 1)
            try await origin.shutdown()
        }
    }

    @Test func `megabytes behind a request that waits are not read`() async throws {
        try await ServerUnderTest.run { server in
            let origin = try await server.origin(delayMilliseconds: 500_000)
            let ahead = String(repeating: Self.unknown, count: 2_000_000)
            let count = try await server.onThread { server in
                let connection = try RawConnection(port: server.port)
                connection.send(Self.get(1))
                let count = connection.send(ahead, isPatient: false)
                connection.resetAtEnd()
                return count
            }
            #expect(count < ahead.utf8.count)
            // The reset is detected all the same.
            #expect(try await origin.log(phase: 0) { $0.requests == 1 && $0.inFlight == 0 }.abandoned == 1)
            try await origin.shutdown()
        }
    }

    @Test func `a client that doesn't read gets no further answers`() async throws {
        try await ServerUnderTest.run { server in
            let origin = try await server.origin(size: 1 << 20)
            let connection = try await server.onThread { server in
                let connection = Held(try RawConnection(port: server.port))
                connection.value.send((0..<100).map { Self.get($0) }.joined())
                return connection
            }
            // It stops when the system's buffers and one body are full; a hundred polls without another load count as
            // its end.
            var quietCount = 0
            var seen: UInt64 = 0
            while quietCount < 100 {
                let requests = try await origin.log(phase: 0).requests
                quietCount = requests == seen ? quietCount + 1 : 0
                seen = requests
            }
            #expect(seen < 50)
            let byteCount = try await server.onThread { _ in
                connection.value.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
                return connection.value.countToEnd()
            }
            #expect(byteCount > 100 << 20)
            #expect(try await origin.log(phase: 0).requests == 100)
            try await origin.shutdown()
        }
    }

    /// Passed from thread to thread; used by one at a time.
    private struct Held: @unchecked Sendable {
        let value: RawConnection

        init(_ value: RawConnection) { self.value = value }
    }
}
