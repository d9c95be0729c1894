import Foundation
import Platform

/// A connection over which a test sends arbitrary bytes. It blocks, for half a minute at most.
final class RawConnection {
    struct SocketError: Error {
        let number = errno
    }

    private let descriptor: Int32

    init(port: Int) throws {
        descriptor = socket(AF_INET, streamSocket, 0)
        guard descriptor >= 0 else { throw SocketError() }
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
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
    }

    deinit { close(descriptor) }

    /// Sends all of it, unless the server closes.
    ///
    /// - Parameter isPatient: whether to wait while the server doesn't read; otherwise the rest is dropped.
    /// - Returns: how much was sent, in bytes.
    @discardableResult
    func send(_ text: String, isPatient: Bool = true) -> Int {
        // Without a signal when the server has already closed.
        let flags = noSignal | (isPatient ? 0 : Int32(MSG_DONTWAIT))
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { break }
            sent += count
        }
        return sent
    }

    /// Closes the sending side: the server reads the end, and can still answer.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes the connection end with a reset.
    func resetAtEnd() {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }

    /// The text that arrives until the server closes.
    func readToEnd() -> String { read { _ in false } }

    /// The text that arrives until it ends like this, or the server closes.
    func read(until ending: String) -> String { read { $0.suffix(ending.utf8.count).elementsEqual(ending.utf8) } }

    /// How many bytes arrive until the server closes.
    func countToEnd() -> Int {
        var sum = 0
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return sum }
            sum += count
        }
    }

    private func read(until isEnough: ([UInt8]) -> Bool) -> String {
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !isEnough(answer) {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            answer += buffer[..<count]
        }
        return String(decoding: answer, as: UTF8.self)
    }
}
