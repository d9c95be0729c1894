import Foundation
import Locks
import Origins
import Platform
import TrialModel

/// A server on loopback that answers by a script, and records its requests.
///
/// Registering a trial and removing it succeed; the script answers requests for values.
final class ScriptedServer: Sendable {
    enum Ending: Sendable { case keepsOpen, closes, resets }

    struct Answer: Sendable {
        var bytes: [UInt8] = []
        /// Sent repeatedly after `bytes`, until the client closes.
        var refrain: [UInt8] = []
        var pauseMicroseconds: UInt32 = 0
        var ending = Ending.keepsOpen

        static func text(_ text: String, _ ending: Ending = .keepsOpen) -> Answer {
            Answer(bytes: Array(text.utf8), ending: ending)
        }

        /// The right answer for a key.
        static func payload(_ key: UInt64, _ ending: Ending = .keepsOpen) throws -> Answer {
            let body = try ScriptedServer.payloads.encoded(key: key, version: 1)
            let head = "HTTP/1.1 200 OK\r\ncontent-length: \(body.count)\r\n\r\n"
            return Answer(bytes: Array(head.utf8) + Array(body), ending: ending)
        }
    }

    struct State: Sendable {
        /// Requests for values, by the number of their connection.
        var requests: [Int] = []
        var connectionCount = 0
        var open: [Int: Int32] = [:]
    }

    static let values = ValueSpecification(kind: .bytes, size: .fixed(256))
    private static let payloads = PayloadFactory(specification: values, seed: 1)

    private let listener: Int32
    private let port: Int
    private let script: @Sendable (_ request: Int) throws -> Answer
    private let shared = Locked(State())

    var state: State { shared.withLock { $0 } }

    private init(_ script: @escaping @Sendable (_ request: Int) throws -> Answer) throws {
        self.script = script
        listener = socket(AF_INET, streamSocket, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 100) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard status else { throw POSIXError(.EADDRINUSE) }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    /// Runs a body with an origin at the server. The script gets the number of a request for a value, from 1 on.
    static func run(
        timeout: UInt64? = nil, _ script: @escaping @Sendable (_ request: Int) throws -> Answer,
        _ body: @Sendable (HTTPOriginUnderTest) async throws -> Void
    ) async throws {
        let server = try ScriptedServer(script)
        Thread.detachNewThread { server.accept() }
        defer { shutdown(server.listener, Int32(SHUT_RDWR)) }
        try await body(HTTPOriginUnderTest(server, port: server.port, timeout: timeout))
    }

    /// Sends unrequested bytes on all connections.
    func push(_ bytes: [UInt8]) {
        for descriptor in state.open.values { _ = Self.send(bytes, to: descriptor) }
    }

    /// Waits until a condition holds; the time limit of the suite bounds the wait.
    func wait(until condition: (State) -> Bool) async throws {
        while !condition(state) { try await Task.sleep(for: .milliseconds(1)) }
    }

    private func accept() {
        while true {
            let descriptor = Foundation.accept(listener, nil, nil)
            guard descriptor >= 0 else { break }
            let number = shared.withLock { state in
                state.connectionCount += 1
                state.open[state.connectionCount] = descriptor
                return state.connectionCount
            }
            Thread.detachNewThread { [self] in
                serve(descriptor, number)
                shared.withLock { state in
                    state.open[number] = nil
                    close(descriptor)
                }
            }
        }
        close(listener)
    }

    private func serve(_ descriptor: Int32, _ number: Int) {
        while let head = Self.request(from: descriptor) {
            var answer = Answer.text("HTTP/1.1 204 No Content\r\n\r\n")
            if head.hasPrefix("GET") {
                let request = shared.withLock { state in
                    state.requests.append(number)
                    return state.requests.count
                }
                guard let scripted = try? script(request) else { return }
                answer = scripted
            }
            guard Self.send(answer.bytes, to: descriptor) else { return }
            while !answer.refrain.isEmpty {
                guard Self.send(answer.refrain, to: descriptor) else { return }
                usleep(answer.pauseMicroseconds)
            }
            switch answer.ending {
            case .keepsOpen: continue
            case .closes: return
            case .resets:
                var option = linger(l_onoff: 1, l_linger: 0)
                setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
                return
            }
        }
    }

    /// The head of the next request, whose body is discarded; `nil` at the end of the connection.
    private static func request(from descriptor: Int32) -> String? {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            text += String(decoding: buffer[..<count], as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n") else { continue }
            let head = text[..<end.lowerBound]
            let length = head.range(of: "content-length: ").flatMap {
                Int(head[$0.upperBound...].prefix(while: \.isNumber))
            }
            if text[end.upperBound...].utf8.count >= length ?? 0 { return String(head) }
        }
    }

    private static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, noSignal)
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
