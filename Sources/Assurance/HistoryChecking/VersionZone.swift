/// One version of a key: when it was inserted into the cache, and when it was seen there.
///
/// In any order that explains a history, all events of a version are adjacent: from its insert to its last hit,
/// nothing else may change the key. If ``earliestEnd`` comes before ``latestStart``, the version was certainly held
/// between them.
struct VersionZone: Sendable {
    var version: UInt64
    /// The version can't have been in the cache before this moment.
    var insertStart: UInt64 = 0
    /// The version is not inserted after this moment; `.max` when it isn't known.
    var insertEnd: UInt64 = .max
    /// The write or request that made it, or the load that fetched it where the origin keeps no list.
    var source: EventReference?
    /// When its request arrived at the origin; `nil` where the version was written, or the moment isn't known.
    var requestStart: UInt64?
    /// The event that ends the insert: the write, or the load that fetched.
    var insertion: EventReference?
    /// Whether a caller wrote the version, and whether that write has returned.
    var isWritten = false
    var isCompletedWrite = false
    /// The moment at which the first of the insert and the hits has certainly ended, and that event.
    var earliestEnd: UInt64 = .max
    var earliestEnder: EventReference?
    /// The moment at which the last of them began, and that event.
    var latestStart: UInt64 = 0
    var latestStarter: EventReference?
    var hitCount = 0
    /// When the last hit began, and that hit.
    var lastHitStart: UInt64 = 0
    var lastHit: EventReference?
    /// The range of its events among the key's values.
    var events: Range<Int>

    /// Whether the version was certainly in the cache for a time: one of its events follows another.
    var isForward: Bool { earliestEnd < latestStart }

    /// Whether the version must have a place in an order that explains the history. An insert whose value was never
    /// seen may have been refused, unless it was a write that returned.
    var isConstrained: Bool { hitCount > 0 || isCompletedWrite }

    /// The span of a version that is not forward.
    var backwardSpan: EventSpan? {
        guard let latestStarter else { return nil }
        return EventSpan(start: latestStart, end: earliestEnd, reference: latestStarter)
    }

    /// Begins the zone with the insert, once the insert is known.
    mutating func begin() {
        earliestEnd = insertEnd
        earliestEnder = insertion
        latestStart = insertStart
        latestStarter = source
    }

    /// Adds a hit that saw the version.
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
