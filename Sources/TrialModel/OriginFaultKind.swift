/// The ways in which an origin can fail its callers.
///
/// A refused connection and a full accept queue are not included, because they affect all keys at once and not single
/// requests. To a client both look like ``resetAtOnce`` or ``noAnswer``.
package enum OriginFaultKind: String, Codable, Hashable, Sendable, CaseIterable {
    // Correct answers that come late.
    case slowAnswer = "slow-answer"
    case slowHeaders = "slow-headers"
    case slowBody = "slow-body"
    case stalledBody = "stalled-body"
    // Answers that report a failure or carry no body.
    case notFound = "not-found"
    case tooManyRequests = "too-many-requests"
    case serverError = "server-error"
    case badGateway = "bad-gateway"
    case unavailable
    case redirectLoop = "redirect-loop"
    case noContent = "no-content"
    // Connections that break, or never send anything.
    case noAnswer = "no-answer"
    case emptyAnswer = "empty-answer"
    case cutHeaders = "cut-headers"
    case cutBody = "cut-body"
    case resetAtOnce = "reset-at-once"
    case resetInBody = "reset-in-body"
    // Violations of HTTP.
    case garbage
    case excessBody = "excess-body"
    case malformedChunk = "malformed-chunk"
    case hugeBody = "huge-body"
    // Well-formed answers with the wrong content.
    case flippedBit = "flipped-bit"
    case wrongKey = "wrong-key"
    case oldVersion = "old-version"

    /// Whether the caller gets the right answer in the end, if it waits.
    package var isSlow: Bool {
        switch self {
        case .slowAnswer, .slowHeaders, .slowBody, .stalledBody: true
        default: false
        }
    }

    /// Whether the request fails for a caller that waits and checks the answer.
    package var isFailure: Bool { !isSlow && self != .oldVersion }

    /// Whether only decoding the body shows that it is damaged.
    package var damagesBody: Bool { self == .flippedBit || self == .excessBody }

    /// The HTTP status of an answer that reports its own failure.
    package var status: Int? {
        switch self {
        case .notFound: 404
        case .tooManyRequests: 429
        case .serverError: 500
        case .badGateway: 502
        case .unavailable: 503
        case .redirectLoop: 302
        case .noContent: 204
        default: nil
        }
    }

    /// A one-line description.
    package var summary: String {
        switch self {
        case .slowAnswer: "the answer comes late"
        case .slowHeaders: "the headers come in small pieces"
        case .slowBody: "the body comes in small pieces"
        case .stalledBody: "half of the body comes, and the rest late"
        case .notFound: "404"
        case .tooManyRequests: "429, with Retry-After"
        case .serverError: "500"
        case .badGateway: "502"
        case .unavailable: "503, with Retry-After"
        case .redirectLoop: "302 to the same address"
        case .noContent: "204, without a body"
        case .noAnswer: "no byte comes, however long the caller waits"
        case .emptyAnswer: "the connection is closed before any byte"
        case .cutHeaders: "the connection is closed within the headers"
        case .cutBody: "the connection is closed within the body"
        case .resetAtOnce: "the connection is reset before any byte"
        case .resetInBody: "the connection is reset within the body"
        case .garbage: "bytes that are not HTTP"
        case .excessBody: "the body is longer than Content-Length"
        case .malformedChunk: "a chunk without a length"
        case .hugeBody: "a body of a terabyte is announced"
        case .flippedBit: "one bit of the body is wrong"
        case .wrongKey: "the value of another key"
        case .oldVersion: "the previous version of the value"
        }
    }
}
