/// A caller's request to a cache that is recorded.
@usableFromInline
struct RecordedRequest<Key: Sendable>: Sendable {
    @usableFromInline
    enum Kind: UInt8, Sendable {
        /// A lookup or a load, whose size is known.
        case read
        /// A lookup that found nothing; an insert that follows says the size.
        case missedRead
        case write
        case remove
    }

    /// The time of the request, by the monotonic clock.
    @usableFromInline
    let nanoseconds: UInt64
    @usableFromInline
    let key: Key
    @usableFromInline
    var size: UInt32
    @usableFromInline
    let kind: Kind

    @inlinable
    init(nanoseconds: UInt64, key: Key, size: UInt32, kind: Kind) {
        self.nanoseconds = nanoseconds
        self.key = key
        self.size = size
        self.kind = kind
    }
}

/// Merges a lookup that missed and the insert that followed it into one read: in a trace, a read includes the fill
/// after a miss.
///
/// Requests come in the order of their times, and wait for a while before they leave, so that inserts find them.
struct FillMatcher<Key: Hashable & Sendable> {
    /// Misses of a key without an insert yet, and the positions of those, among all requests, whose size is unknown.
    private struct Open {
        var misses = 0
        var positions: [Int] = []
    }

    private var open: [Key: Open] = [:]
    /// How many requests have left.
    private var leftCount = 0

    /// The most keys with an open miss; beyond it all are forgotten, and their inserts become writes.
    static var openLimit: Int { 1 << 16 }

    /// Sets the sizes of misses, and removes their inserts. O(requests).
    ///
    /// - Parameters:
    ///   - requests: all that have not left.
    ///   - range: the new requests; all before it came earlier.
    /// - Returns: where the range ends afterwards.
    mutating func match(_ requests: inout ContiguousArray<RecordedRequest<Key>>, _ range: Range<Int>) -> Int {
        var kept = range.lowerBound
        for position in range {
            let request = requests[position]
            switch request.kind {
            case .missedRead:
                open[request.key, default: Open()].misses += 1
                open[request.key]?.positions.append(leftCount + kept)
            case .write:
                if !open.isEmpty, var found = open[request.key] {
                    for place in found.positions where place >= leftCount {
                        requests[place - leftCount].size = request.size
                    }
                    found.positions = []
                    found.misses -= 1
                    open[request.key] = found.misses == 0 ? nil : found
                    continue
                }
            case .read, .remove:
                // Keys are hashed only while a miss waits.
                if !open.isEmpty { open[request.key] = nil }
            }
            requests[kept] = request
            kept += 1
        }
        requests.removeSubrange(kept..<range.upperBound)
        if open.count > Self.openLimit { open = [:] }
        return kept
    }

    /// The first requests leave; their sizes no longer change.
    mutating func leave(_ count: Int) { leftCount += count }
}
