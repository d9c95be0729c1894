import TrialModel

// Loads that are not shared although the strategy declares single-flight loads.

extension KeyCheck {
    /// Judges ``Promise/singleFlight`` from the origin's list.
    ///
    /// Two requests for a key may not be in flight at once, unless the later load had a reason not to join the
    /// earlier one:
    ///
    /// - The key, or all keys, may have been written or removed between the starts of the two loads, so that the
    ///   earlier one is out of date.
    /// - No caller got one of the answers: its load had failed, or all its callers had been cancelled. Other callers
    ///   need not wait for such a load.
    ///
    /// A load begins between the call of the caller that reports the fetch and the arrival of its request. A request
    /// counts as in flight until the first caller has its answer, even if the origin says it took longer. O(n log n),
    /// plus, for each request, the requests in flight.
    mutating func judgeSingleFlight() {
        tallies.singleFlight.checked += UInt64(events.requests.count)
        guard events.requests.count > 1 else { return }
        var inFlight: [DeliveredRequest] = []
        var invalidations: Invalidations?
        for request in deliveredRequests() {
            inFlight.removeAll { $0.end <= request.start }
            if !inFlight.isEmpty {
                let known = invalidations ?? Invalidations(events.possibleChanges, index.possibleClears)
                invalidations = known
                let first = inFlight.first { earlier in
                    !known.mayLieBetween(min(earlier.loadStart, request.loadStart), and: request.start)
                }
                if let first { noteSecondRequest(first.reference, request.reference) }
            }
            inFlight.append(request)
        }
    }

    /// Requests whose answer reached a caller, sorted by start.
    private func deliveredRequests() -> [DeliveredRequest] {
        var requests: [DeliveredRequest] = []
        for zone in zones {
            guard let start = zone.requestStart, let reference = zone.source else { continue }
            var firstAnswer = UInt64.max
            var loadStart: UInt64?
            for event in events.values[zone.events] where event.role == .fetch || event.role == .join {
                firstAnswer = min(firstAnswer, event.end)
                // The caller that fetched began the load; when that caller was cancelled, the start of the load isn't
                // known.
                if event.role == .fetch { loadStart = min(loadStart ?? .max, event.start) }
            }
            guard firstAnswer != .max else { continue }
            let end = min(firstAnswer, writer.history.requests[reference.position].end)
            requests.append(
                DeliveredRequest(start: start, end: end, loadStart: loadStart ?? 0, reference: reference))
        }
        return requests.sorted { $0.start < $1.start }
    }

    private mutating func noteSecondRequest(_ first: EventReference, _ second: EventReference) {
        tallies.singleFlight.violate(eventCount: 2) { [writer, key] in
            writer.example("two requests for key \(key) were in flight at once", [first, second])
        }
    }
}

/// A request whose answer reached a caller.
private struct DeliveredRequest {
    var start: UInt64
    var end: UInt64
    /// When the load of the request was called; 0 where it isn't known.
    var loadStart: UInt64
    var reference: EventReference
}

/// The times at which a key's loads may have gone out of date.
private struct Invalidations {
    private let changes: SpanCover
    private let clears: SpanCover

    init(_ changes: [EventSpan], _ clears: [EventSpan]) {
        self.changes = SpanCover(changes)
        self.clears = SpanCover(sorted: clears)
    }

    /// Whether a change may have taken effect between two moments. O(log n).
    func mayLieBetween(_ start: UInt64, and end: UInt64) -> Bool {
        changes.mayLieBetween(start, and: end) || clears.mayLieBetween(start, and: end)
    }
}
