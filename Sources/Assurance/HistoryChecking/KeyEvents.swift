import TrialModel

/// The events of one key, sorted by their meaning. It is refilled for each key, so that its memory is reused.
struct KeyEvents {
    /// The events that carry a version.
    private(set) var values: [ValueEvent] = []
    /// Writes and removals of the key; an open end where their effect isn't certain.
    private(set) var possibleChanges: [EventSpan] = []
    /// Lookups that found nothing, and removals that surely took effect.
    private(set) var absences: [EventSpan] = []
    /// Loads that were no hits, as evidence about errors and requests.
    private(set) var loads: [LoadEvent] = []
    /// Answers that are damaged or belong to another key.
    private(set) var wrongValues: [EventReference] = []
    /// The key's requests, from the origin's list.
    private(set) var requests: [RequestEvent] = []
    /// Loads whose fetched version isn't known: they failed, were cancelled, or never returned.
    private(set) var lostLoadCount = 0
    private(set) var missedLoadCount = 0
    private(set) var loadCount = 0
    private(set) var hasFailures = false
    private(set) var hasCancellations = false

    /// Sorts a key's events. O(events).
    mutating func fill(_ history: borrowing History, _ index: borrowing HistoryIndex, key rank: Int) {
        clear()
        for reference in index.operations(ofKey: rank) {
            add(history.callers[reference.caller][reference.position], reference)
        }
        for position in index.requests(ofKey: rank) {
            let request = history.requests[Int(position)]
            let reference = EventReference(request: Int(position))
            requests.append(RequestEvent(request: request, reference: reference))
            // A request that was cancelled may have a version that no caller got.
            guard request.version != 0 || request.isAnswered else { continue }
            values.append(
                ValueEvent(
                    version: request.version, start: request.isAnswered ? request.end : request.start, end: .max,
                    reference: reference, role: .request))
        }
    }

    private mutating func clear() {
        values.removeAll(keepingCapacity: true)
        possibleChanges.removeAll(keepingCapacity: true)
        absences.removeAll(keepingCapacity: true)
        loads.removeAll(keepingCapacity: true)
        wrongValues.removeAll(keepingCapacity: true)
        requests.removeAll(keepingCapacity: true)
        (lostLoadCount, missedLoadCount, loadCount) = (0, 0, 0)
        (hasFailures, hasCancellations) = (false, false)
    }

    @inline(__always)
    private mutating func add(_ operation: OperationRecord, _ reference: EventReference) {
        let span = EventSpan(start: operation.call, end: operation.answer, reference: reference)
        switch operation.kind {
        case .read:
            if operation.outcome == .hit { addValue(operation, reference, .hit) }
            if operation.outcome == .miss, operation.isAnswered { absences.append(span) }
        case .load, .burst:
            addLoad(operation, span)
        case .write, .remove:
            let isSure = operation.outcome == .done && operation.isAnswered
            let possible = EventSpan(start: span.start, end: isSure ? span.end : .max, reference: reference)
            possibleChanges.append(possible)
            if operation.kind == .remove {
                if isSure { absences.append(span) }
            } else {
                values.append(
                    ValueEvent(
                        version: operation.version, start: span.start, end: possible.end, reference: reference,
                        role: .write))
            }
        case .clear, .prefetch: break
        }
    }

    @inline(__always)
    private mutating func addLoad(_ operation: OperationRecord, _ span: EventSpan) {
        loadCount += 1
        guard operation.isAnswered else {
            lostLoadCount += 1
            loads.append(LoadEvent(span: span, outcome: .failed, mayGiveUp: true, isAnswered: false))
            return
        }
        switch operation.outcome {
        case .hit:
            addValue(operation, span.reference, .hit)
            return
        case .done:
            return
        case .miss:
            missedLoadCount += 1
            absences.append(span)
            addValue(operation, span.reference, .fetch)
        case .joined:
            addValue(operation, span.reference, .join)
        case .failed:
            lostLoadCount += 1
            hasFailures = true
        case .cancelled:
            lostLoadCount += 1
            hasCancellations = true
        }
        loads.append(
            LoadEvent(span: span, outcome: operation.outcome, mayGiveUp: operation.mayGiveUp, isAnswered: true))
    }

    @inline(__always)
    private mutating func addValue(_ operation: OperationRecord, _ reference: EventReference, _ role: ValueRole) {
        guard operation.isAnswered else { return }
        guard operation.valueKey == operation.key, operation.isIntact else {
            wrongValues.append(reference)
            return
        }
        values.append(
            ValueEvent(
                version: operation.version, start: operation.call, end: operation.answer, reference: reference,
                role: role))
    }

    /// Sorts the values by version, and each version's events by role. O(n log n).
    mutating func sortValues() {
        values.sort { ($0.version, $0.role.rawValue, $0.start) < ($1.version, $1.role.rawValue, $1.start) }
    }
}

/// The role of an event for the version that it carries, in the order in which a version's events are processed.
enum ValueRole: UInt8, Sendable {
    case write, request
    /// A load that reports that it fetched the value.
    case fetch
    /// A load that joined another caller's fetch. It says nothing about the contents of the cache.
    case join
    case hit
}

/// An event that carries a version.
struct ValueEvent: Sendable {
    var version: UInt64
    /// For a request, when its answer was sent: no caller has the value earlier.
    var start: UInt64
    /// `.max` for a request, and for a write that may have failed.
    var end: UInt64
    var reference: EventReference
    var role: ValueRole
}

/// A load that was no hit.
struct LoadEvent: Sendable {
    var span: EventSpan
    var outcome: Outcome
    var mayGiveUp: Bool
    var isAnswered: Bool
}

/// A request from the origin's list.
struct RequestEvent: Sendable {
    var request: RequestRecord
    var reference: EventReference
}
