/// A fault of the origin, and the requests that it affects.
package struct OriginFault: Codable, Hashable, Sendable {
    /// The kind of fault.
    package var kind: OriginFaultKind
    /// The share of the selected requests that the fault hits, from 0 to 1.
    package var probability: Double
    /// The selected keys; `nil` means all.
    package var keys: FaultyKeys?
    /// The selected requests for each key; `nil` means all.
    package var attempts: FaultyAttempts?
    /// How long a slow kind takes beyond the scripted delay, in nanoseconds; `nil` means ``timeDefault``.
    package var time: UInt64?

    /// The default extra time of a slow kind: 100 ms.
    package static let timeDefault: UInt64 = 100_000_000
    /// The maximum number of faults of one origin.
    package static let countMax = 32

    package init(
        _ kind: OriginFaultKind, probability: Double = 1, keys: FaultyKeys? = nil, attempts: FaultyAttempts? = nil,
        time: UInt64? = nil
    ) {
        self.kind = kind
        self.probability = probability
        self.keys = keys
        self.attempts = attempts
        self.time = time
    }

    /// The time that the fault adds to the scripted delay, in nanoseconds; 0 for a kind that is not slow.
    package var extraNanoseconds: UInt64 { kind.isSlow ? time ?? Self.timeDefault : 0 }

    /// The same fault with its time cut to `limit`, in nanoseconds.
    func cut(to limit: UInt64) -> OriginFault {
        var short = self
        short.time = kind.isSlow ? min(extraNanoseconds, limit) : nil
        return short
    }

    fileprivate func concerns(key: UInt64, attempt: UInt64) -> Bool {
        keys?.contains(key) != false && attempts?.contains(attempt) != false
    }
}

/// A range of keys.
package struct FaultyKeys: Codable, Hashable, Sendable {
    /// The first key.
    package var first: UInt64
    /// The number of keys.
    package var count: UInt64

    package init(first: UInt64, count: UInt64) {
        self.first = first
        self.count = count
    }

    func contains(_ key: UInt64) -> Bool { key >= first && key - first < count }
}

/// A script of requests for one key, numbered from 1 in the order in which they reach the origin.
package struct FaultyAttempts: Codable, Hashable, Sendable {
    /// The first request.
    package var first: UInt64
    /// How many consecutive requests.
    package var count: UInt64
    /// After how many requests the script repeats; `nil` means never.
    package var every: UInt64?

    package init(first: UInt64 = 1, count: UInt64 = 1, every: UInt64? = nil) {
        self.first = first
        self.count = count
        self.every = every
    }

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
