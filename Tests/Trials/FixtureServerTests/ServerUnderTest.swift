import Foundation
import Origins
import Testing
import TrialModel

@testable import FixtureServer

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

    /// Sends a request line by line and reads until the server closes, on a separate thread.
    func exchange(_ method: String, _ path: String, body: String = "") async throws -> RawAnswer {
        let head =
            "\(method) \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        return RawAnswer(try await send(head + body))
    }

    /// Sends bytes unchanged and reads until the server closes.
    func send(_ text: String) async throws -> String {
        try await onThread { server in
            let connection = try RawConnection(port: server.port)
            connection.send(text)
            return connection.readToEnd()
        }
    }

    /// Runs blocking code on a separate thread.
    func onThread<Result: Sendable>(
        _ body: @escaping @Sendable (ServerUnderTest) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Swift.Result { try body(self) }) }
        }
    }
}

/// Where an origin is.
enum OriginPlace: CaseIterable { case memory, server }

/// Runs a body with an origin in memory, or with one at a fixture server.
func useOrigin(
    at place: OriginPlace, values: ValueSpecification = ValueSpecification(kind: .bytes, size: .fixed(1_024)),
    _ specification: OriginSpecification = OriginSpecification(kind: .server, delay: .fixed(0)),
    preparedKeyCount: Int = 0, _ body: @Sendable (any Origin) async throws -> Void
) async throws {
    guard place == .server else {
        let origin = MemoryOrigin(scenarioSeed: 5, values: values, origin: specification, entryCountMax: 1_000)
        try await body(origin)
        return try await origin.shutdown()
    }
    try await ServerUnderTest.run { server in
        let origin = try await HTTPOrigin(
            address: server.address, trial: "trial", scenarioSeed: 5, values: values, origin: specification,
            concurrency: 64, preparedKeyCount: preparedKeyCount)
        do { try await body(origin) } catch {
            try? await origin.shutdown()
            throw error
        }
        try await origin.shutdown()
    }
}

/// An answer as received.
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
