import TrialModel

/// Reasons why a history was not recorded correctly, so that nothing can be judged by it.
enum LogFlaw {
    /// The first flaw in a history's log, in words; `nil` when there is none. O(events).
    ///
    /// - A clock that ran backwards within an operation, within a request, or between two operations of a caller.
    /// - Operations of one caller that overlap, or follow one that never returned.
    /// - An outcome that the operation can't have.
    /// - A clock that never moved.
    /// - Operations that a caller counted but that have no record, and answers that the origin's list lacks.
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
        return lostRecords(in: history) ?? stoppedClock(in: history)
    }

    /// Compares the records with separate counts.
    private static func lostRecords(in history: History) -> String? {
        if let sent = history.sentCounts {
            guard sent.count == history.callers.count else {
                return "\(sent.count) clients sent operations, and \(history.callers.count) have records"
            }
            for (caller, operations) in history.callers.enumerated() where operations.count != sent[caller] {
                return "client \(caller + 1) sent \(sent[caller]) operations, and \(operations.count) are recorded"
            }
        }
        if let fetches = history.answeredFetchCount {
            let listed = UInt64(history.requests.count { $0.isAnswered })
            let (known, overflows) = listed.addingReportingOverflow(history.droppedRequests)
            if !overflows, known < fetches {
                return "\(fetches) fetches were answered, and the origin knows of \(known)"
            }
        }
        return nil
    }

    /// If all moments are equal, everything overlaps, and no promise could be broken.
    private static func stoppedClock(in history: History) -> String? {
        guard history.count >= operationsOfNoTime else { return nil }
        let moment = history.callers.first { !$0.isEmpty }?.first?.call
        let isStopped = history.callers.allSatisfy { operations in
            operations.allSatisfy { $0.call == moment && ($0.answer == moment || !$0.isAnswered) }
        }
        return isStopped ? "the clock did not advance" : nil
    }

    /// So many operations take long enough for any clock to advance.
    private static var operationsOfNoTime: Int { 100 }

    private static func flaw(in operations: [OperationRecord]) -> String? {
        var previous: UInt64 = 0
        for (position, operation) in operations.enumerated() {
            if operation.answer < operation.call { return "operation \(position + 1) returned before it was called" }
            if operation.call < previous {
                return "operation \(position + 1) was called before the previous one had returned"
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
        case .prefetch: return operation.outcome == .done
        case .write, .remove, .clear:
            return operation.outcome == .done || operation.outcome == .failed || operation.outcome == .cancelled
        }
    }
}
