/// One version of a key: when it came into the cache, and when it was seen there.
///
/// All that has to do with a version stands together in any explanation of a history: from its insert to its last hit
/// nothing else may change the key. Between ``earliestEnd`` and ``latestStart``, in this order, that is certain.
struct VersionZone: Sendable {
    var version: UInt64
    /// Before this moment the version can't have been in the cache.
    var insertStart: UInt64 = 0
    /// After this moment it isn't inserted any more; `.max` when that isn't known.
    var insertEnd: UInt64 = .max
    /// The write or request that it came from, or the load that fetched it where the origin keeps no list.
    var source: EventReference?
    /// When its request arrived at the origin; `nil` where it was written, or that isn't known.
    var requestStart: UInt64?
    /// What ends the insert: the write, or the load that fetched.
    var insertion: EventReference?
    /// Whether a caller wrote it, and whether that write has returned.
    var isWritten = false
    var isCompletedWrite = false
    /// The moment at which the first of the insert and the hits has surely ended, and which that was.
    var earliestEnd: UInt64 = .max
    var earliestEnder: EventReference?
    /// The moment at which the last of them began.
    var latestStart: UInt64 = 0
    var latestStarter: EventReference?
    var hitCount = 0
    /// When the last hit began, and which that was.
    var lastHitStart: UInt64 = 0
    var lastHit: EventReference?
    /// Its events, among the key's values.
    var events: Range<Int>

    init(version: UInt64, events: Range<Int>) {
        self.version = version
        self.events = events
    }

    /// Whether the version surely was in the cache for a time: two of its events follow each other.
    var isForward: Bool { earliestEnd < latestStart }

    /// Whether the version has to be somewhere in an order that explains the history. An insert that nobody saw may
    /// have been refused, unless it was a write that returned.
    var isConstrained: Bool { hitCount > 0 || isCompletedWrite }

    /// The span of a version that is not forward.
    var backwardSpan: EventSpan? {
        guard let latestStarter else { return nil }
        return EventSpan(start: latestStart, end: earliestEnd, reference: latestStarter)
    }

    /// The insert is known: the version's zone begins with it.
    mutating func begin() {
        earliestEnd = insertEnd
        earliestEnder = insertion
        latestStart = insertStart
        latestStarter = source
    }

    /// A hit saw the version.
    mutating func addHit(_ hit: ValueEvent) {
        hitCount += 1
        if hit.end < earliestEnd {
            earliestEnd = hit.end
            earliestEnder = hit.reference
        }
        if hit.start > latestStart || latestStarter == nil {
            latestStart = hit.start
            latestStarter = hit.reference
        }
        if hit.start >= lastHitStart {
            lastHitStart = hit.start
            lastHit = hit.reference
        }
    }
}
