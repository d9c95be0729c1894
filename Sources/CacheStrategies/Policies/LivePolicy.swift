public import EvictionPolicies

/// An eviction policy as a live cache uses it: with the name of its strategy, and made for numbers that are used again.
@usableFromInline
package protocol LivePolicy: EvictionPolicy, SendableMetatype, ~Copyable {
    /// The name of the strategy, as in ``StrategyDeclaration/name``.
    static var strategyName: String { get }
    /// What the policy does, in a few words.
    static var strategySummary: String { get }
    /// Whether a full cache finds every new entry right after its insert.
    static var admission: Promises.Admission { get }
    /// Whether ``identify(_:by:)`` wants to hear of keys; where it doesn't, none is hashed for it.
    static var needsFingerprints: Bool { get }

    /// A policy whose numbers are used again.
    static func live(capacity: PolicyCapacity) -> Self

    /// A number stands for another key from now on.
    ///
    /// - Parameter fingerprint: the key's ``StableHash``, so that the same keys lead to the same decisions in every
    ///   process.
    mutating func identify(_ object: ObjectID, by fingerprint: UInt64)
}

extension LivePolicy where Self: ~Copyable {
    @inlinable
    package static var admission: Promises.Admission { .always }

    @inlinable
    package static var needsFingerprints: Bool { false }

    /// The policy as it is.
    @inlinable
    package static func live(capacity: PolicyCapacity) -> Self { Self(capacity: capacity) }

    @inlinable
    @inline(__always)
    package mutating func identify(_ object: ObjectID, by fingerprint: UInt64) {}
}

extension LRUPolicy: LivePolicy {
    @inlinable
    package static var strategyName: String { "lru" }

    @inlinable
    package static var strategySummary: String { "least recently used goes first" }
}

extension FIFOPolicy: LivePolicy {
    @inlinable
    package static var strategyName: String { "fifo" }

    @inlinable
    package static var strategySummary: String { "first in, first out" }
}

extension CLOCKPolicy: LivePolicy {
    @inlinable
    package static var strategyName: String { "clock" }

    @inlinable
    package static var strategySummary: String { "first in, first out, but what was used gets a second round" }
}

extension SIEVEPolicy: LivePolicy {
    @inlinable
    package static var strategyName: String { "sieve" }

    @inlinable
    package static var strategySummary: String { "first in, first out, with a hand that passes over what was used" }
}

extension S3FIFOPolicy: LivePolicy {
    @inlinable
    package static var strategyName: String { "s3-fifo" }

    @inlinable
    package static var strategySummary: String {
        "a small queue sifts out what is used once, a main one keeps the rest"
    }
}

extension TwoQueuePolicy: LivePolicy {
    @inlinable
    package static var strategyName: String { "two-queue" }

    @inlinable
    package static var strategySummary: String {
        "a queue for new entries, an LRU list for those asked for again after it"
    }
}

extension ARCPolicy: LivePolicy {
    @inlinable
    package static var strategyName: String { "arc" }

    @inlinable
    package static var strategySummary: String { "balances recency and frequency by what it evicted too soon" }
}

extension LFUPolicy: LivePolicy {
    @inlinable
    package static var strategyName: String { "lfu" }

    @inlinable
    package static var strategySummary: String { "least frequently used goes first, of those the least recently used" }
}

extension WTinyLFUPolicy: LivePolicy {
    @inlinable
    package static var strategyName: String { "w-tinylfu" }

    @inlinable
    package static var strategySummary: String { "a window, then admission by how often an entry was asked for lately" }
    /// What leaves the window may lose to what is there.
    @inlinable
    package static var admission: Promises.Admission { .notWhenFull }

    @inlinable
    package static var needsFingerprints: Bool { true }

    @inlinable
    package mutating func identify(_ object: ObjectID, by fingerprint: UInt64) {
        setFingerprint(UInt32(truncatingIfNeeded: fingerprint), of: object)
    }
}

extension LIRSPolicy: LivePolicy {
    @inlinable
    package static var strategyName: String { "lirs" }

    @inlinable
    package static var strategySummary: String { "keeps what has the shortest time between two uses" }

    /// How many times as many entries as are held the stack may remember; each keeps a key alive.
    @inlinable
    package static var liveStackLimit: Int { 3 }

    /// A policy whose stack is bounded by ``liveStackLimit``.
    @inlinable
    package static func live(capacity: PolicyCapacity) -> LIRSPolicy {
        LIRSPolicy(capacity: capacity, stackLimit: liveStackLimit)
    }
}
