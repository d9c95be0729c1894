public import EvictionPolicies

/// An eviction policy as a live cache uses it: with the name of its strategy, and made for numbers that are used again.
@usableFromInline
package protocol LivePolicy: TablePolicy, SendableMetatype, ~Copyable {
    /// The name of the strategy, as in ``StrategyDeclaration/name``.
    static var strategyName: String { get }
    /// What the policy does, in a few words.
    static var strategySummary: String { get }
    /// Whether a full cache finds every new entry right after its insert.
    static var admission: Promises.Admission { get }
    /// Whether ``identify(_:by:)`` wants to hear of keys; where it doesn't, none is hashed for it.
    static var needsFingerprints: Bool { get }
    /// Whether the policy divides its capacity among parts, or remembers what has gone in shares of it.
    ///
    /// Where it doesn't, the ``PolicyStore`` holds both limits itself and asks the policy for one entry after another to
    /// evict, until a new one fits. Such a policy remembers nothing of an entry that has gone.
    static var dividesCapacity: Bool { get }

    /// A policy whose numbers are used again.
    static func live(capacity: PolicyCapacity) -> Self

    /// A number stands for another key from now on.
    ///
    /// - Parameter fingerprint: the key's ``StableHash``, so that the same keys lead to the same decisions in every
    ///   process.
    mutating func identify(_ object: ObjectID, by fingerprint: UInt64)

    /// Evicts one object though there is room, because memory is wanted back; something is resident. It may take two calls
    /// until one goes.
    mutating func giveBackNext<Sink: EvictionSink>(_ sink: inout Sink)
}

extension LivePolicy where Self: ~Copyable {
    @inlinable
    package static var admission: Promises.Admission { .always }

    @inlinable
    package static var needsFingerprints: Bool { false }

    @inlinable
    package static var dividesCapacity: Bool { true }

    /// The policy as it is.
    @inlinable
    package static func live(capacity: PolicyCapacity) -> Self { Self(capacity: capacity) }

    @inlinable
    @inline(__always)
    package mutating func identify(_ object: ObjectID, by fingerprint: UInt64) {
        // Most policies decide by numbers and uses alone.
    }

    /// The one whose turn it is.
    @inlinable
    package mutating func giveBackNext<Sink: EvictionSink>(_ sink: inout Sink) { evictNext(&sink) }
}

extension LRU: LivePolicy where Entry == UnitEntry {
    @inlinable
    package static var strategyName: String { "lru" }

    @inlinable
    package static var strategySummary: String { "least recently used goes first" }

    @inlinable
    package static var dividesCapacity: Bool { false }
}

extension FIFO: LivePolicy where Entry == UnitEntry {
    @inlinable
    package static var strategyName: String { "fifo" }

    @inlinable
    package static var strategySummary: String { "first in, first out" }

    @inlinable
    package static var dividesCapacity: Bool { false }
}

extension CLOCK: LivePolicy where Entry == UnitEntry {
    @inlinable
    package static var strategyName: String { "clock" }

    @inlinable
    package static var strategySummary: String { "first in, first out, but what was used gets a second round" }

    @inlinable
    package static var dividesCapacity: Bool { false }
}

extension SIEVE: LivePolicy where Entry == UnitEntry {
    @inlinable
    package static var strategyName: String { "sieve" }

    @inlinable
    package static var strategySummary: String { "first in, first out, with a hand that passes over what was used" }

    @inlinable
    package static var dividesCapacity: Bool { false }
}

extension S3FIFO: LivePolicy where Entry == LiveEntry {
    @inlinable
    package static var strategyName: String { "s3-fifo" }

    @inlinable
    package static var strategySummary: String {
        "a small queue sifts out what is used once, a main one keeps the rest"
    }
}

extension TwoQueue: LivePolicy where Entry == LiveEntry {
    @inlinable
    package static var strategyName: String { "two-queue" }

    @inlinable
    package static var strategySummary: String {
        "a queue for new entries, an LRU list for those asked for again after it"
    }
}

extension ARC: LivePolicy where Entry == LiveEntry {
    @inlinable
    package static var strategyName: String { "arc" }

    @inlinable
    package static var strategySummary: String { "balances recency and frequency by what it evicted too soon" }
}

// Some of its entries stand for no object, so that numbers can't be places.
extension LFUPolicy: LivePolicy {
    @inlinable
    package static var strategyName: String { "lfu" }

    @inlinable
    package static var strategySummary: String { "least frequently used goes first, of those the least recently used" }

    @inlinable
    package static var dividesCapacity: Bool { false }
}

extension WTinyLFU: LivePolicy where Entry == LiveEntry {
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

    /// Its own evictions end where there is room.
    @inlinable
    package mutating func giveBackNext<Sink: EvictionSink>(_ sink: inout Sink) { evictOldest(&sink) }
}

extension LIRS: LivePolicy where Entry == LiveEntry {
    @inlinable
    package static var strategyName: String { "lirs" }

    @inlinable
    package static var strategySummary: String { "keeps what has the shortest time between two uses" }

    /// How many times as many entries as are held the stack may remember; each keeps a key alive.
    @inlinable
    package static var liveStackLimit: Int { 3 }

    /// A policy whose stack is bounded by ``liveStackLimit``.
    @inlinable
    package static func live(capacity: PolicyCapacity) -> LIRS {
        LIRS(capacity: capacity, stackLimit: liveStackLimit)
    }
}

/// LRU for live caches.
@usableFromInline
package typealias LiveLRU = LRU<UnitEntry>
/// FIFO for live caches.
@usableFromInline
package typealias LiveFIFO = FIFO<UnitEntry>
/// CLOCK for live caches.
@usableFromInline
package typealias LiveCLOCK = CLOCK<UnitEntry>
/// SIEVE for live caches.
@usableFromInline
package typealias LiveSIEVE = SIEVE<UnitEntry>
/// S3-FIFO for live caches.
@usableFromInline
package typealias LiveS3FIFO = S3FIFO<LiveEntry>
/// 2Q for live caches.
@usableFromInline
package typealias LiveTwoQueue = TwoQueue<LiveEntry>
/// ARC for live caches.
@usableFromInline
package typealias LiveARC = ARC<LiveEntry>
/// W-TinyLFU for live caches.
@usableFromInline
package typealias LiveWTinyLFU = WTinyLFU<LiveEntry>
/// LIRS for live caches.
@usableFromInline
package typealias LiveLIRS = LIRS<LiveEntry>
