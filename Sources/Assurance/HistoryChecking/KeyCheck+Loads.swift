import CacheStrategies
import TrialModel

// What loads show about requests, errors and cancellations.

extension KeyCheck {
    /// Judges ``Promise/counts``: each load that reports a fetch has a request of its own, and each answered request
    /// has a load that fetched, failed, was cancelled or never returned. O(1) on top of ``judgeValues()``.
    mutating func judgeCounts() {
        tallies.counts.checked += UInt64(events.loadCount)
        guard list == .complete else { return }
        let answered = events.requests.reduce(0) { $0 + ($1.request.isAnswered ? 1 : 0) }
        if events.missedLoadCount > answered {
            noteMiscount(
                "\(events.missedLoadCount) loads of key \(key) report a fetch; the origin sent \(answered)")
        } else if answered > events.missedLoadCount + events.lostLoadCount {
            let loads = events.missedLoadCount + events.lostLoadCount
            noteMiscount("the origin sent key \(key) \(answered) times, and only \(loads) loads can have requested it")
        }
    }

    private mutating func noteMiscount(_ summary: String) {
        let loads = events.loads.filter { $0.outcome == .miss }.prefix(2).map(\.span.reference)
        let requests = events.requests.prefix(2).map(\.reference)
        tallies.counts.violate(eventCount: loads.count + requests.count) { [writer] in
            writer.example(summary, loads + requests)
        }
    }

    /// Judges ``Promise/errors``: an error reaches only callers that waited while a request was in flight that failed.
    /// A request fails when it has no answer, when it is cancelled, and when its body is damaged.
    ///
    /// A load may have joined one whose request had failed at the origin but not yet at the caller. So loads whose
    /// times overlap, directly or through others, form one group, and one failed request within the group explains all
    /// its errors. A strategy that caches errors needs a failed request at any earlier time. O(n log n).
    mutating func judgeErrors() {
        let requests = events.requests.filter { !$0.request.isAnswered }.map {
            EventSpan(start: $0.request.start, end: $0.request.end, reference: $0.reference)
        }.sorted { $0.start < $1.start }
        let loads = events.loads.sorted { $0.span.start < $1.span.start }
        var first = 0
        var latestRequestEnd: UInt64 = 0
        var nextRequest = 0
        while first < loads.count {
            var end = loads[first].span.end
            var last = first + 1
            while last < loads.count, loads[last].span.start <= end {
                end = max(end, loads[last].span.end)
                last += 1
            }
            while nextRequest < requests.count, requests[nextRequest].start <= end {
                latestRequestEnd = max(latestRequestEnd, requests[nextRequest].end)
                nextRequest += 1
            }
            let since = promises.cachesErrors ? 0 : loads[first].span.start
            let isExplained = nextRequest > 0 && latestRequestEnd >= since
            judgeErrors(of: loads[first..<last], isExplained, requests[..<nextRequest].last?.reference)
            first = last
        }
    }

    private mutating func judgeErrors(
        of loads: ArraySlice<LoadEvent>, _ isExplained: Bool, _ lastRequest: EventReference?
    ) {
        for load in loads where load.isAnswered && load.outcome == .failed {
            tallies.errors.checked += 1
            guard !isExplained, list == .complete, !writer.history.mayFailUnseen else { continue }
            let others = loadsBeside(load.span)
            tallies.errors.violate(eventCount: lastRequest == nil ? 1 : 2) { [writer, key] in
                writer.example(
                    "a load of key \(key) failed, and no request for it that failed was in flight",
                    [lastRequest, load.span.reference] + others)
            }
        }
    }

    /// The loads in flight beside one, for its drawing: the one that led it, and some that joined.
    func loadsBeside(_ span: EventSpan) -> [EventReference] {
        let beside = events.loads.filter { $0.span.start <= span.end && $0.span.end >= span.start }
        let leaders = beside.filter { $0.outcome == .miss }
        return (leaders.prefix(1) + beside.filter { $0.outcome != .miss }.prefix(3)).map(\.span.reference)
    }

    /// Judges ``Promise/cancellation``: a caller that did not cancel its load is not cancelled. It checks the loads
    /// that were in flight together with a cancelled one. O(n log n).
    mutating func judgeCancellations() {
        let cancelled = events.loads.filter { $0.outcome == .cancelled && $0.isAnswered }
        let spans = cancelled.map(\.span).sorted { $0.start < $1.start }
        var latestEnds: [UInt64] = []
        for span in spans { latestEnds.append(max(span.end, latestEnds.last ?? 0)) }
        for load in events.loads where !load.mayGiveUp {
            if load.outcome == .cancelled {
                tallies.cancellation.checked += 1
                let other = cancelled.first { $0.mayGiveUp && $0.span.start <= load.span.end }
                let others = loadsBeside(load.span)
                tallies.cancellation.violate(eventCount: other == nil ? 1 : 2) { [writer, key] in
                    writer.example(
                        "a load of key \(key) was cancelled, but not by its caller",
                        [other?.span.reference, load.span.reference] + others)
                }
                continue
            }
            let earlier = spans.firstIndex(startingAfter: load.span.end)
            if earlier > 0, latestEnds[earlier - 1] >= load.span.start { tallies.cancellation.checked += 1 }
        }
    }
}
