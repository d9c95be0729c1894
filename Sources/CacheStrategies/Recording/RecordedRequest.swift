/// What a caller asked of a cache that is recorded.
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

    /// By the monotonic clock.
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

/// Makes one read of a lookup that missed and the insert that followed it: in a trace a read brings what it misses.
///
/// Requests come in the order of their times, and wait for a while before they leave, so that inserts find them.
struct FillMatcher<Key: Hashable & Sendable> {
    /// Misses of a key that no insert has answered, and where those among all requests are whose size isn't known.
    private struct Open {
        var misses = 0
        var positions: [Int] = []
    }

    private var open: [Key: Open] = [:]
    /// How many requests have left.
    private var leftCount = 0

    /// Keys that are waited for; beyond it all are forgotten, and their inserts become writes.
    static var openLimit: Int { 1 << 16 }

    /// Gives misses their sizes, and takes their inserts out. O(requests).
    ///
    /// - Parameters:
    ///   - requests: all that have not left.
    ///   - range: those that come now; all before it came earlier.
    /// - Returns: where the range ends then.
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
                // Keys are hashed only where something waits.
                if !open.isEmpty { open[request.key] = nil }
            }
            requests[kept] = request
            kept += 1
        }
        requests.removeSubrange(kept..<range.upperBound)
        if open.count > Self.openLimit { open = [:] }
        return kept
    }

    /// The first requests leave; their sizes stay as they are.
    mutating func leave(_ count: Int) { leftCount += count }
}
