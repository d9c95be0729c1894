/// The reason why a request to a cache server has no answer.
package enum ServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No connection was established; nothing was sent.
    case unreachable(server: String, reason: String)
    /// The connection ended before the answer arrived; whether the request was executed is unknown.
    case connectionLost(server: String, reason: String)
    /// The server exceeded the time limit; whether the request was executed is unknown.
    case timedOut(server: String, seconds: Double)
    /// The server refused; the request was not executed.
    case refused(server: String, reason: String)
    /// The bytes are no answer to the request, or no valid answer at all.
    case protocolViolation(server: String, reason: String)
    /// The client was closed; nothing was sent.
    case closed(server: String)
    /// A local server didn't start.
    case notStarted(program: String, reason: String)

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
