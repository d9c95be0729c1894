import TrialModel

/// Identifies an event of a history: an operation of a caller, or a request to the origin. 8 bytes.
struct EventReference: Hashable, Sendable {
    /// The highest bit marks a request; 23 bits of the caller and 40 of the position follow.
    private let bits: UInt64

    private static let requestBit: UInt64 = 1 << 63
    private static let positionBits: UInt64 = 40
    private static let positionMask: UInt64 = (1 << positionBits) - 1

    /// The most callers, and the most events of one caller, that can be represented.
    static let callerCountMax = 1 << 23
    static let positionCountMax = 1 << 40

    /// An operation, by the index of its caller and its position among that caller's operations.
    @inline(__always)
    init(caller: Int, position: Int) {
        bits = UInt64(truncatingIfNeeded: caller) &<< Self.positionBits | UInt64(truncatingIfNeeded: position)
    }

    /// A request, by its position in the origin's list.
    @inline(__always)
    init(request position: Int) {
        bits = Self.requestBit | UInt64(truncatingIfNeeded: position)
    }

    var isRequest: Bool { bits & Self.requestBit != 0 }

    @inline(__always)
    var caller: Int { Int(truncatingIfNeeded: (bits & ~Self.requestBit) &>> Self.positionBits) }

    @inline(__always)
    var position: Int { Int(truncatingIfNeeded: bits & Self.positionMask) }
}

/// The span of time in which an event took effect, and the event.
struct EventSpan: Sendable {
    var start: UInt64
    /// `.max` when it may take effect at any later time.
    var end: UInt64
    var reference: EventReference
}

extension [EventSpan] {
    /// The first span, in the order of their starts, that begins after a moment. O(log n). The spans are sorted by start.
    func firstIndex(startingAfter moment: UInt64) -> Int { partitioningIndex { $0.start > moment } }

    /// The position of a span that lies wholly between two moments. The spans are sorted by start.
    ///
    /// O(log n), plus the spans in flight at `end`: those that start before it and do not end before it.
    func firstPosition(after start: UInt64, before end: UInt64) -> Int? {
        var index = firstIndex(startingAfter: start)
        while index < count, self[index].start < end {
            if self[index].end < end { return index }
            index += 1
        }
        return nil
    }

    /// Like ``firstPosition(after:before:)``, but returns the span itself.
    func first(after start: UInt64, before end: UInt64) -> EventSpan? {
        firstPosition(after: start, before: end).map { self[$0] }
    }

    /// Among the spans that start after one moment and not later than another, the one that ends first. The spans are
    /// sorted by start.
    ///
    /// O(log n), plus the spans that overlap the result: a span that starts after its end also ends later.
    func earliestEnd(startingAfter moment: UInt64, notAfter latest: UInt64) -> EventSpan? {
        var index = firstIndex(startingAfter: moment)
        var best: EventSpan?
        while index < count, self[index].start <= Swift.min(latest, best?.end ?? .max) {
            if self[index].end < best?.end ?? .max { best = self[index] }
            index += 1
        }
        return best
    }
}
