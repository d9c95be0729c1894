import TrialModel

/// Turns events of a history into a readable counterexample.
struct ExampleWriter: Sendable {
    let history: History
    private let numbers = VersionNumbers()

    init(history: History) { self.history = history }

    /// A small number for a version of a key.
    func number(_ version: UInt64, _ key: UInt32) -> UInt64 { numbers.number(of: version, ofKey: key, in: history) }

    /// The events in the order of their starts. Absent ones are left out, repeated ones are listed once.
    func example(_ summary: String, _ references: [EventReference?]) -> Counterexample {
        var events: [(start: UInt64, event: Counterexample.Event)] = []
        var seen: Set<EventReference> = []
        for case let reference? in references where seen.insert(reference).inserted {
            let event = event(reference)
            events.append((event.call, event))
        }
        events.sort { ($0.start, $0.event.answer) < ($1.start, $1.event.answer) }
        let base = events.first?.start ?? 0
        return Counterexample(
            summary: summary,
            events: events.map { _, event in
                var event = event
                event.call -= base
                if event.answer != OperationRecord.never { event.answer -= base }
                return event
            })
    }

    /// One event, with its times as they were recorded.
    func event(_ reference: EventReference) -> Counterexample.Event {
        if reference.isRequest {
            let request = history.requests[reference.position]
            let version = number(request.version, request.key)
            let ending = request.isAnswered ? "version \(version)" : "no answer"
            return Counterexample.Event(
                caller: "origin", what: "request \(request.key) → \(ending)", call: request.start, answer: request.end)
        }
        let operation = operation(reference)
        return Counterexample.Event(
            caller: "client \(reference.caller + 1)", what: words(operation), call: operation.call,
            answer: operation.answer)
    }

    /// The operation of a reference.
    func operation(_ reference: EventReference) -> OperationRecord {
        history.callers[reference.caller][reference.position]
    }

    private func words(_ operation: OperationRecord) -> String {
        switch operation.kind {
        case .clear: return "clear" + ending(operation)
        case .prefetch: return "prefetch"
        case .remove: return "remove \(operation.key)" + ending(operation)
        case .write:
            return "write \(operation.key) version \(number(operation.version, operation.key))" + ending(operation)
        case .read, .load, .burst:
            let verb = operation.kind == .read ? "read" : "load"
            return "\(verb) \(operation.key) → \(answer(operation))"
        }
    }

    private func ending(_ operation: OperationRecord) -> String {
        guard operation.isAnswered else { return " → no answer" }
        return operation.outcome == .done ? "" : " → \(operation.outcome.rawValue)"
    }

    private func answer(_ operation: OperationRecord) -> String {
        guard operation.isAnswered else { return "no answer" }
        var value = "version \(number(operation.version, operation.valueKey))"
        if operation.valueKey != operation.key { value += " of key \(operation.valueKey)" }
        if !operation.isIntact { value += ", damaged" }
        switch operation.outcome {
        case .hit, .done: return value
        case .miss: return operation.kind == .read ? "nothing" : "fetched \(value)"
        case .joined: return "joined \(value)"
        case .failed: return "error"
        case .cancelled: return "cancelled"
        }
    }
}
