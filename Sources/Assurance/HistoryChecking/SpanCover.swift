import TrialModel

/// Spans of time, and whether one of them overlaps a given span. Built once in O(n log n), queried in O(log n).
struct SpanCover: Sendable {
    /// Sorted by start; each end is replaced by the latest end so far.
    private let spans: [EventSpan]

    init(_ spans: [EventSpan]) { self.init(sorted: spans.sorted { $0.start < $1.start }) }

    /// - Parameter spans: sorted by start.
    init(sorted spans: [EventSpan]) {
        var latest: UInt64 = 0
        self.spans = spans.map { span in
            latest = max(latest, span.end)
            return EventSpan(start: span.start, end: latest, reference: span.reference)
        }
    }

    /// Whether an event may have taken effect between two moments.
    func mayLieBetween(_ start: UInt64, and end: UInt64) -> Bool {
        let count = spans.firstIndex(startingAfter: end)
        return count > 0 && spans[count - 1].end >= start
    }
}

/// Like ``SpanCover``, for spans of several owners; a query leaves one owner out.
struct OwnedSpanCover<Owner: Equatable & Sendable>: Sendable {
    /// A span and its owner.
    struct Span: Sendable {
        var start: UInt64
        var end: UInt64
        var owner: Owner
    }

    /// Over all spans up to one: the latest end, its owner, and the latest end of any other owner.
    private struct Latest: Sendable {
        var start: UInt64
        var end: UInt64
        var owner: Owner
        var endOfOthers: UInt64?
    }

    private var latest: [Latest] = []

    init(_ spans: [Span]) {
        latest.reserveCapacity(spans.count)
        for span in spans.sorted(by: { $0.start < $1.start }) {
            guard var next = latest.last else {
                latest.append(Latest(start: span.start, end: span.end, owner: span.owner))
                continue
            }
            next.start = span.start
            if span.owner == next.owner {
                next.end = max(next.end, span.end)
            } else if span.end > next.end {
                next.endOfOthers = next.end
                (next.end, next.owner) = (span.end, span.owner)
            } else {
                next.endOfOthers = max(next.endOfOthers ?? 0, span.end)
            }
            latest.append(next)
        }
    }

    /// Whether an event of any other owner may have taken effect between two moments.
    func mayLieBetween(_ start: UInt64, and end: UInt64, except owner: Owner) -> Bool {
        let later = latest.partitioningIndex { $0.start > end }
        guard later > 0 else { return false }
        let found = latest[later - 1]
        return found.owner == owner ? (found.endOfOthers ?? 0) >= start && found.endOfOthers != nil : found.end >= start
    }
}
