import TrialModel

/// What shows that a history was not written down right, so that nothing can be judged by it.
enum LogFlaw {
    /// The first flaw in the order of time of a history, in words; `nil` when there is none. O(events).
    ///
    /// - A clock that ran backwards, within an operation, a request, or from one operation of a caller to the next.
    /// - Operations of one caller that overlap, or follow one that never returned.
    /// - An outcome that the operation can't have.
    static func first(in history: History) -> String? {
        guard history.callers.count < EventReference.callerCountMax,
            history.callers.allSatisfy({ $0.count < EventReference.positionCountMax }),
            history.requests.count < Int(UInt32.max)
        else { return "there are too many operations" }
        for (caller, operations) in history.callers.enumerated() {
            if let flaw = flaw(in: operations) { return "client \(caller + 1): \(flaw)" }
        }
        if let position = history.requests.firstIndex(where: { $0.end < $0.start }) {
            return "request \(position + 1) of the origin's list ends before it begins"
        }
        return nil
    }

    private static func flaw(in operations: [OperationRecord]) -> String? {
        var previous: UInt64 = 0
        for (position, operation) in operations.enumerated() {
            if operation.answer < operation.call { return "operation \(position + 1) returned before it was called" }
            if operation.call < previous {
                return "operation \(position + 1) was called before the one before it had returned"
            }
            if !isPossible(operation) {
                return
                    "operation \(position + 1) is a \(operation.kind.rawValue) and ended as \(operation.outcome.rawValue)"
            }
            previous = operation.answer
        }
        return nil
    }

    @inline(__always)
    private static func isPossible(_ operation: OperationRecord) -> Bool {
        if !operation.isAnswered { return true }
        switch operation.kind {
        case .read: return operation.outcome == .hit || operation.outcome == .miss
        case .load, .burst: return operation.outcome != .done
        case .write, .remove, .clear:
            return operation.outcome == .done || operation.outcome == .failed || operation.outcome == .cancelled
        }
    }
}
