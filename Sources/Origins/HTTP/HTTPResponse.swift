import Foundation
import TrialModel

/// A complete answer of the server.
struct HTTPResponse: Hashable, Sendable {
    let status: Int
    let body: Data
    /// Whether another request may follow on the same connection.
    let keepsAlive: Bool
}

/// Why a request got no usable answer.
enum ExchangeFailure: Error, Hashable, Sendable {
    /// The deadline of the whole request has passed.
    case timedOut
    /// The caller's task was cancelled.
    case cancelled
    /// There is no connection, or it was lost.
    case unreachable(String)
    /// The answer can't be used, for this reason.
    case unusable(String)

    /// The answer is not HTTP, or is incomplete.
    static func malformed(_ reason: String) -> ExchangeFailure {
        .unusable("the answer breaks off or is not HTTP (\(reason))")
    }
}

/// The bytes of a request.
struct HTTPRequest: Sendable {
    /// The methods that requests to this origin need.
    enum Method: String, Sendable {
        case get = "GET"
        case put = "PUT"
        case delete = "DELETE"
    }

    let bytes: [UInt8]

    /// - Parameters:
    ///   - path: a path with its query, which needs no escaping.
    ///   - authority: the server's name and port.
    ///   - priority: how urgent the request is; a user's urgency is the default and is not sent (RFC 9218).
    init(
        _ method: Method, _ path: String, at authority: String, body: Data? = nil, priority: LoadPriority = .user
    ) {
        var head = "\(method.rawValue) \(path) HTTP/1.1\r\nhost: \(authority)\r\n"
        if priority != .user { head += "priority: u=\(priority.urgency)\r\n" }
        if let body { head += "content-length: \(body.count)\r\n" }
        head += "\r\n"
        bytes = Array(head.utf8) + Array(body ?? Data())
    }
}
