import HistoryChecking
import TrialModel

/// A load that joined an earlier load although the key had changed since that load's request. Its caller gets the value
/// from before a change that had returned when the caller asked.
///
/// No history of lookups shows it, because the value never was in the cache.
enum OvertakenJoin {
    /// The first one of a history. O(joins × changes), which are few in a script.
    static func first(in history: borrowing History) -> EndFinding? {
        for caller in history.callers.indices {
            for load in history.callers[caller] where load.outcome == .joined && load.isAnswered {
                guard let request = history.requests.first(where: { $0.key == load.key && $0.version == load.version })
                else { continue }
                for operations in history.callers {
                    let change = operations.first { change in
                        isChange(change, of: load.key) && change.call > request.start && change.answer < load.call
                    }
                    guard let change else { continue }
                    return EndFinding(
                        promise: .newerWritesWin,
                        what: "client \(caller + 1) joined a load of key \(load.key) that was requested before a "
                            + "\(change.kind.rawValue) that had returned")
                }
            }
        }
        return nil
    }

    private static func isChange(_ operation: OperationRecord, of key: UInt32) -> Bool {
        guard operation.outcome == .done else { return false }
        switch operation.kind {
        case .write, .remove: return operation.key == key
        case .clear: return true
        case .load, .read, .burst, .prefetch: return false
        }
    }
}
