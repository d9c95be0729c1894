/// A fault of the origin, and the requests that it affects.
package struct OriginFault: HasDefaults, Codable, Hashable, Sendable {
    /// The kind of fault.
    package var kind = OriginFaultKind.serverError
    /// The share of the selected requests that the fault hits, from 0 to 1.
    package var probability = 1.0
    /// The selected keys; `nil` means all.
    package var keys: Range<UInt64>?
    /// The selected requests for each key; `nil` means all.
    package var attempts: FaultyAttempts?
    /// How long `slow-answer` takes beyond the scripted delay, in nanoseconds; `nil` means ``timeDefault``.
    package var time: UInt64?

    /// The default extra time: 100 ms.
    package static let timeDefault: UInt64 = 100_000_000
    /// The maximum number of faults of one origin.
    package static let countMax = 32

    package static var defaults: Self { Self() }

    /// The time that the fault adds to the scripted delay, in nanoseconds; 0 for other kinds.
    package var extraNanoseconds: UInt64 { kind == .slowAnswer ? time ?? Self.timeDefault : 0 }

    /// The same fault with its time cut to `limit`, in nanoseconds.
    func cut(to limit: UInt64) -> OriginFault {
        with { $0.time = kind == .slowAnswer ? min(extraNanoseconds, limit) : nil }
    }

    fileprivate func concerns(key: UInt64, attempt: UInt64) -> Bool {
        keys?.contains(key) != false && attempts?.contains(attempt) != false
    }
}

extension OriginFault {
    package init(_ kind: OriginFaultKind, probability: Double = 1) {
        self = .defaults
        (self.kind, self.probability) = (kind, probability)
    }
}

/// A script of requests for one key, numbered from 1 in the order in which they reach the origin.
package struct FaultyAttempts: HasDefaults, Codable, Hashable, Sendable {
    /// The first request.
    package var first: UInt64 = 1
    /// How many consecutive requests.
    package var count: UInt64 = 1
    /// After how many requests the script repeats; `nil` means never.
    package var every: UInt64?

    package static var defaults: Self { Self() }

    func contains(_ attempt: UInt64) -> Bool {
        guard attempt >= first else { return false }
        let place = attempt - first
        guard let every, every > 0 else { return place < count }
        return place % every < count
    }
}

extension [OriginFault] {
    /// The random stream of faults, separate from those of sizes, contents and delays.
    private static let stream: UInt64 = 0x66_6175_6C74

    /// The fault that hits a request, if any: a pure function of seed, key and attempt.
    ///
    /// One random number is drawn per request, and the matching faults divide its range by their shares, in order. When
    /// these shares add up to more than 1, earlier faults take precedence.
    ///
    /// - Parameter attempt: 1 for the first request for the key, then 2, and so on.
    package func fault(seed: UInt64, key: UInt64, attempt: UInt64) -> OriginFault? {
        guard !isEmpty else { return nil }
        var random = RandomSource(seed: seed, stream: Self.stream, key, attempt)
        var share = random.nextFraction()
        for fault in self where fault.concerns(key: key, attempt: attempt) {
            if share < fault.probability { return fault }
            share -= fault.probability
        }
        return nil
    }

    /// A number that details a request's fault, such as which bit of the body is flipped.
    package static func detail(seed: UInt64, key: UInt64, attempt: UInt64, below bound: Int) -> Int {
        var random = RandomSource(seed: seed, stream: stream, key, attempt, 1)
        return Int(clamping: random.next(below: UInt64(clamping: Swift.max(bound, 1))))
    }
}

/// The ways in which an origin can fail a cache. Each one is something else to the closure that loads: an answer that is
/// late, an error of its own kind, or a body with its own defect. What only an HTTP client can tell apart, such as an end
/// within the headers and within the body, is tested with the parser of answers.
package enum OriginFaultKind: String, Codable, Hashable, Sendable, CaseIterable {
    // A correct answer that comes late.
    case slowAnswer = "slow-answer"
    // Answers that report a failure.
    case notFound = "not-found"
    case serverError = "server-error"
    case unavailable
    // Connections that break, or never send anything.
    case noAnswer = "no-answer"
    case resetAtOnce = "reset-at-once"
    case cutBody = "cut-body"
    // An answer that is not HTTP.
    case garbage
    // Well-formed answers with the wrong content.
    case flippedBit = "flipped-bit"
    case wrongKey = "wrong-key"
    case oldVersion = "old-version"

    /// Whether the request fails for a caller that waits and checks the answer.
    package var isFailure: Bool { self != .slowAnswer && self != .oldVersion }

    /// Whether only decoding the body shows that it is damaged.
    package var damagesBody: Bool { self == .flippedBit }

    /// The HTTP status of an answer that reports its own failure.
    package var status: Int? {
        switch self {
        case .notFound: 404
        case .serverError: 500
        case .unavailable: 503
        default: nil
        }
    }

    /// A one-line description.
    package var summary: String {
        switch self {
        case .slowAnswer: "the answer comes late"
        case .notFound: "404"
        case .serverError: "500"
        case .unavailable: "503, with Retry-After"
        case .noAnswer: "no byte comes, however long the caller waits"
        case .resetAtOnce: "the connection is reset before any byte"
        case .cutBody: "the connection is closed within the body"
        case .garbage: "bytes that are not HTTP"
        case .flippedBit: "one bit of the body is wrong"
        case .wrongKey: "the value of another key"
        case .oldVersion: "the previous version of the value"
        }
    }
}
