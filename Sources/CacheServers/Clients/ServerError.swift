/// Why a request to a cache server has no answer.
package enum ServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No connection came about; nothing was sent.
    case unreachable(server: String, reason: String)
    /// The connection ended while the answer was awaited; whether the request was carried out is not known.
    case connectionLost(server: String, reason: String)
    /// The server took longer than it may; whether the request was carried out is not known.
    case timedOut(server: String, seconds: Double)
    /// The server said no; the request was not carried out.
    case refused(server: String, reason: String)
    /// What came is no answer to what was asked, or no answer at all.
    case protocolViolation(server: String, reason: String)
    /// The client was closed; nothing was sent.
    case closed(server: String)
    /// A server of our own didn't start.
    case notStarted(program: String, reason: String)

    /// Whether the server certainly didn't do what it was asked for.
    package var isCertain: Bool {
        switch self {
        case .refused, .unreachable, .closed, .notStarted: true
        case .connectionLost, .timedOut, .protocolViolation: false
        }
    }

    /// What happened, and where.
    package var description: String {
        switch self {
        case .unreachable(let server, let reason): "\(server): no connection: \(reason)"
        case .connectionLost(let server, let reason): "\(server): the connection ended: \(reason)"
        case .timedOut(let server, let seconds): "\(server): no answer within \(seconds) s"
        case .refused(let server, let reason): "\(server): \(reason)"
        case .protocolViolation(let server, let reason): "\(server): not an answer: \(reason)"
        case .closed(let server): "\(server): the client is closed"
        case .notStarted(let program, let reason): "\(program) did not start: \(reason)"
        }
    }
}
