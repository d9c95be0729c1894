public import EvictionPolicies

/// An eviction policy as a live cache uses it, with numbers that are reused. Its declaration names the strategy.
@usableFromInline
package protocol LivePolicy: TablePolicy, SendableMetatype, ~Copyable {
    /// Whether a full cache finds every new entry right after its insert.
    static var admission: Promises.Admission { get }
    /// The policy as a cache declares it; `nil` where no check knows it.
    static var evictionOrder: Promises.EvictionOrder? { get }
    /// Whether the policy is told by ``identify(_:by:)`` which key a number belongs to.
    static var needsFingerprints: Bool { get }
    /// Whether the policy divides its capacity into parts, or remembers evicted entries in shares of it.
    ///
    /// If not, the ``PolicyStore`` keeps both limits itself and asks the policy for one entry after another to evict,
    /// until a new one fits. Such a policy remembers nothing of evicted entries.
    static var dividesCapacity: Bool { get }

    /// A policy whose numbers are reused.
    static func live(capacity: PolicyCapacity) -> Self

    /// A number belongs to another key from now on.
    ///
    /// - Parameter fingerprint: the key's tag, see ``KeyHasher``. It has a secret, so that no client can construct keys
    ///   that share it.
    mutating func identify(_ object: ObjectID, by fingerprint: UInt32)

    /// Whether a use of a resident object would change nothing.
    borrowing func isUnchangedByUse(_ object: ObjectID) -> Bool

    /// Evicts one object although there is room, because of memory pressure. At least one object is resident. It may
    /// take two calls until one is evicted.
    mutating func giveBackNext<Sink: EvictionSink>(_ sink: inout Sink)
}

extension LivePolicy where Self: ~Copyable {
    @inlinable
    package static var admission: Promises.Admission { .always }

    @inlinable
    package static var evictionOrder: Promises.EvictionOrder? { nil }

    @inlinable
    package static var needsFingerprints: Bool { false }

    @inlinable
    package static var dividesCapacity: Bool { true }

    /// The policy unchanged.
    @inlinable
    package static func live(capacity: PolicyCapacity) -> Self { Self(capacity: capacity) }

    @inlinable
    @inline(__always)
    package mutating func identify(_ object: ObjectID, by fingerprint: UInt32) {
        // Most policies decide only by numbers and uses.
    }

    /// Not for most policies.
    @inlinable
    package borrowing func isUnchangedByUse(_ object: ObjectID) -> Bool { false }

    /// Evicts the next object in the policy's order.
    @inlinable
    package mutating func giveBackNext<Sink: EvictionSink>(_ sink: inout Sink) { evictNext(&sink) }
}

extension LRU: LivePolicy where Entry == UnitEntry {
    @inlinable
    package static var evictionOrder: Promises.EvictionOrder? { .leastRecentlyUsed }

    @inlinable
    package static var dividesCapacity: Bool { false }

    @inlinable
    package borrowing func isUnchangedByUse(_ object: ObjectID) -> Bool { isNewest(object) }
}

extension FIFO: LivePolicy where Entry == UnitEntry {
    @inlinable
    package static var evictionOrder: Promises.EvictionOrder? { .firstInFirstOut }

    @inlinable
    package static var dividesCapacity: Bool { false }

    @inlinable
    package borrowing func isUnchangedByUse(_ object: ObjectID) -> Bool { true }
}

extension CLOCK: LivePolicy where Entry == UnitEntry {
    @inlinable
    package static var evictionOrder: Promises.EvictionOrder? { .clock }

    @inlinable
    package static var dividesCapacity: Bool { false }
}

extension SIEVE: LivePolicy where Entry == UnitEntry {
    @inlinable
    package static var evictionOrder: Promises.EvictionOrder? { .sieve }

    @inlinable
    package static var dividesCapacity: Bool { false }
}

extension S3FIFO: LivePolicy where Entry == LiveEntry {}

extension TwoQueue: LivePolicy where Entry == LiveEntry {}

extension ARC: LivePolicy where Entry == LiveEntry {}

extension CAR: LivePolicy where Entry == LiveEntry {}

extension SegmentedLRU: LivePolicy where Entry == LiveEntry {}

extension WindowedFIFO: LivePolicy where Entry == LiveEntry {}

extension GDSF: LivePolicy where Entry == LiveEntry {
    /// A new entry may have a lower rank than all others.
    @inlinable
    package static var admission: Promises.Admission { .notWhenFull }
}

// Some of its entries have no object, so that numbers can't be places.
extension LFUPolicy: LivePolicy {
    @inlinable
    package static var dividesCapacity: Bool { false }
}

extension WTinyLFU: LivePolicy where Entry == LiveEntry {
    /// An entry that leaves the window may lose against a resident one.
    @inlinable
    package static var admission: Promises.Admission { .notWhenFull }

    /// Not known to clients, so that they can't tell which keys will be admitted.
    @inlinable
    static var randomSeed: UInt64 { KeyHasher.secret(3) }

    /// A policy that admits warm keys at random once in a while, so that its admission is never frozen.
    @inlinable
    package static func live(capacity: PolicyCapacity) -> WTinyLFU {
        var policy = WTinyLFU(capacity: capacity)
        policy.admitAtRandom(seed: randomSeed)
        return policy
    }

    @inlinable
    package static var needsFingerprints: Bool { true }

    @inlinable
    package mutating func identify(_ object: ObjectID, by fingerprint: UInt32) {
        setFingerprint(fingerprint, of: object)
    }

    /// The policy's own evictions stop when there is room.
    @inlinable
    package mutating func giveBackNext<Sink: EvictionSink>(_ sink: inout Sink) { evictOldest(&sink) }
}

extension LIRS: LivePolicy where Entry == LiveEntry {
    /// The stack may remember this many times the number of held entries; each remembered entry keeps a key alive.
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
/// CAR for live caches.
@usableFromInline
package typealias LiveCAR = CAR<LiveEntry>
/// SLRU for live caches.
@usableFromInline
package typealias LiveSLRU = SLRU<LiveEntry>
/// S4-FIFO for live caches.
@usableFromInline
package typealias LiveS4FIFO = S4FIFO<LiveEntry>
/// Clock2Q+ for live caches.
@usableFromInline
package typealias LiveClock2QPlus = Clock2QPlus<LiveEntry>
/// GDSF for live caches.
@usableFromInline
package typealias LiveGDSF = GDSF<LiveEntry>
/// W-TinyLFU for live caches.
@usableFromInline
package typealias LiveWTinyLFU = WTinyLFU<LiveEntry>
/// LIRS for live caches.
@usableFromInline
package typealias LiveLIRS = LIRS<LiveEntry>
