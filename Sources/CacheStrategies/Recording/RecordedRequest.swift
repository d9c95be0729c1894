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
/// Requests come in the order of their times.
struct FillMatcher<Key: Hashable & Sendable> {
    /// Misses of a key that no insert has answered, and where in the requests at hand the last one is.
    private struct Open {
        var misses = 0
        var position: Int?
    }

    private var open: [Key: Open] = [:]

    /// Keys that are waited for; beyond it all are forgotten, and their inserts become writes.
    static var openLimit: Int { 1 << 16 }

    /// Gives the misses their sizes and takes their inserts out. O(requests).
    mutating func match(_ requests: inout ContiguousArray<RecordedRequest<Key>>) {
        var kept = 0
        for position in requests.indices {
            let request = requests[position]
            switch request.kind {
            case .missedRead:
                open[request.key, default: Open()].misses += 1
                open[request.key]?.position = kept
            case .write:
                if !open.isEmpty, var found = open[request.key] {
                    if let position = found.position { requests[position].size = request.size }
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
        requests.removeSubrange(kept...)
        if open.count > Self.openLimit { open = [:] }
        // These requests are written now, and their sizes with them.
        for key in open.keys { open[key]?.position = nil }
    }
}
