import Foundation
import Origins
import Payloads
import Testing
import TrialModel

@testable import FixtureServer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A fixture server on a free port, for the length of a closure.
struct ServerUnderTest: Sendable {
    let port: Int
    var address: String { "http://127.0.0.1:\(port)" }

    static func run<Result: Sendable>(
        _ configuration: FixtureServerConfiguration = FixtureServerConfiguration(),
        _ body: @Sendable (ServerUnderTest) async throws -> Result
    ) async throws -> Result {
        let (ports, announce) = AsyncStream<Int>.makeStream()
        let server = Task {
            defer { announce.finish() }
            try await FixtureServer(configuration: configuration).run { announce.yield($0) }
        }
        let port = await ports.first { _ in true }
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(ServerUnderTest(port: try #require(port))))
        } catch {
            result = .failure(error)
        }
        server.cancel()
        _ = await server.result
        return try result.get()
    }

    /// An origin at the server.
    func origin(
        trial: String = "trial", kind: ValueKind = .bytes, size: UInt64 = 1_024, delayMilliseconds: UInt64 = 0
    ) async throws -> HTTPOrigin {
        try await HTTPOrigin(
            address: address, trial: trial, scenarioSeed: 5,
            values: ValueSpecification(kind: kind, size: .fixed(size)),
            origin: OriginSpecification(kind: .server, delay: .fixed(delayMilliseconds * 1_000_000)), concurrency: 64
        )
    }

    /// Sends a request line by line and reads until the server closes, on a thread of its own.
    func exchange(_ method: String, _ path: String, body: String = "") async throws -> RawAnswer {
        let head =
            "\(method) \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        return RawAnswer(try await send(head + body))
    }

    /// Sends bytes as they are.
    func send(_ text: String) async throws -> String {
        let port = port
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try Self.exchangeBytes(text, port: port) }) }
        }
    }

    private struct SocketError: Error {
        let number = errno
    }

    private static func exchangeBytes(_ text: String, port: Int) throws -> String {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw SocketError() }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw SocketError() }
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            // Without a signal when the server has closed already.
            #if canImport(Glibc)
                let flags = Int32(MSG_NOSIGNAL)
            #else
                let flags: Int32 = 0
            #endif
            let count = bytes[sent...].withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { break }
            sent += count
        }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            answer += buffer[..<count]
        }
        return String(decoding: answer, as: UTF8.self)
    }
}

/// An answer as it came over the wire.
struct RawAnswer: Sendable {
    let status: Int
    let head: String
    let body: String

    init(_ text: String) {
        let parts = text.components(separatedBy: "\r\n\r\n")
        head = parts[0].lowercased()
        body = parts.dropFirst().joined(separator: "\r\n\r\n").trimmingCharacters(in: .whitespacesAndNewlines)
        status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
}

extension Origin {
    /// The log of a phase, once `condition` holds; the time limit of the suite bounds the wait.
    func log(phase: Int, when condition: (OriginLog) -> Bool) async throws -> OriginLog {
        while true {
            let log = try await log(phase: phase)
            if condition(log) { return log }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
