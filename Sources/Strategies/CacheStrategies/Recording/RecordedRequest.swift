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
    var size: UInt64
    @usableFromInline
    let kind: Kind

    @inlinable
    init(nanoseconds: UInt64, key: Key, size: UInt64, kind: Kind) {
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
    /// The misses of a key that an insert may still follow.
    private struct Open {
        /// The positions, among all requests, of those that have not left, and how many of the first ones have a size.
        var positions: [Int] = []
        var sizedCount = 0
        /// Whether misses have left. The next insert may be the fill of any of them, after a long fetch; the inserts
        /// after it are writes.
        var haveLeft = false

        mutating func forget(before leftCount: Int) {
            guard let first = positions.first, first < leftCount else { return }
            let count = positions.firstIndex { $0 >= leftCount } ?? positions.count
            positions.removeFirst(count)
            sizedCount = max(sizedCount - count, 0)
            haveLeft = true
        }
    }

    private var open: [Key: Open] = [:]
    /// How many requests have left.
    private var leftCount = 0
    /// When this many have left, the positions of all keys are looked through.
    private var nextSweep = sweepCountMin

    private static var sweepCountMin: Int { 1 << 12 }

    /// The positions that are remembered, of all keys.
    var missCount: Int { open.values.reduce(0) { $0 + $1.positions.count } }

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
                open[request.key, default: Open()].forget(before: leftCount)
                open[request.key]?.positions.append(leftCount + kept)
            case .write:
                if !open.isEmpty, fill(request, &requests) { continue }
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

    /// Takes an insert for the fill of a miss: sets the sizes of all misses of its key that have none.
    ///
    /// - Returns: `false` if no miss waits for it.
    private mutating func fill(
        _ request: RecordedRequest<Key>, _ requests: inout ContiguousArray<RecordedRequest<Key>>
    ) -> Bool {
        guard var found = open.removeValue(forKey: request.key) else { return false }
        found.forget(before: leftCount)
        for place in found.positions[found.sizedCount...] { requests[place - leftCount].size = request.size }
        if found.positions.isEmpty {
            found.haveLeft = false
        } else {
            found.positions.removeFirst()
            found.sizedCount = found.positions.count
        }
        if !found.positions.isEmpty || found.haveLeft { open[request.key] = found }
        return true
    }

    /// The first requests leave; their sizes no longer change. O(1), amortised.
    mutating func leave(_ count: Int) {
        leftCount += count
        guard leftCount >= nextSweep else { return }
        for key in open.keys { open[key]?.forget(before: leftCount) }
        nextSweep = leftCount + max(open.count, Self.sweepCountMin)
    }
}
