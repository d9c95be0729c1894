import HistoryChecking
import TrialModel

/// The records of a schedule's callers and origin, on a clock that counts events. Its memory is reused for many
/// schedules.
final class ScheduleRecorder: @unchecked Sendable {
    // Unchecked, because all of it is mutable: everything that uses it runs on the single thread that runs the
    // schedule, one job at a time.

    private(set) var history = History()
    /// For each caller, the index of its last cancelled operation.
    private var givenUp: [Int?] = []
    /// The number of callers that have not ended.
    private(set) var callersInFlight = 0
    /// Findings in addition to the history.
    private(set) var endFindings: [EndFinding] = []
    /// Whether the end is being checked, which is not part of the history.
    var isClosed = false
    private var moment: UInt64 = 0
    private var originVersions: [UInt64] = Array(repeating: 0, count: ScheduleScript.keysMax)
    private var writes: UInt64 = 0

    /// Clears it for a new schedule.
    func begin(callerCount: Int) {
        if history.callers.count > callerCount { history.callers.removeLast(history.callers.count - callerCount) }
        for caller in history.callers.indices { history.callers[caller].removeAll(keepingCapacity: true) }
        while history.callers.count < callerCount { history.callers.append([]) }
        history.requests.removeAll(keepingCapacity: true)
        givenUp.removeAll(keepingCapacity: true)
        givenUp.append(contentsOf: repeatElement(nil, count: callerCount))
        endFindings.removeAll(keepingCapacity: true)
        callersInFlight = callerCount
        isClosed = false
        (moment, writes) = (0, 0)
        for key in originVersions.indices { originVersions[key] = 0 }
    }

    /// The next time of the clock, later than all before.
    private func now() -> UInt64 {
        moment += 1
        return moment
    }

    /// A caller has ended.
    func end() { callersInFlight -= 1 }

    /// An operation is called; ``finish(_:caller:outcome:value:)`` says how it ended.
    func call(_ kind: OperationKind, key: UInt32, caller: Int, version: UInt64 = 0, mayGiveUp: Bool = false) {
        history.callers[caller].append(
            OperationRecord(
                kind, key: key, version: version, outcome: .failed, call: now(), answer: OperationRecord.never,
                mayGiveUp: mayGiveUp))
    }

    /// A caller's operation in flight has returned.
    func finish(caller: Int, outcome: Outcome, value: ScriptedValue? = nil) {
        let last = history.callers[caller].count - 1
        guard last >= 0 else { return }
        history.callers[caller][last].answer = now()
        history.callers[caller][last].outcome = outcome
        if let value {
            history.callers[caller][last].version = value.version
            history.callers[caller][last].valueKey = value.key
        }
    }

    /// How many operations a caller has called.
    func callCount(caller: Int) -> Int { history.callers[caller].count }

    /// An operation of a caller is cancelled; it may not have been called yet, or may have returned already.
    func giveUp(caller: Int, operation: Int) { givenUp[caller] = operation }

    /// The first caller whose operation was cancelled and has not returned.
    var callerGivingUp: Int? {
        history.callers.indices.first { caller in
            guard let last = history.callers[caller].last, !last.isAnswered else { return false }
            return givenUp[caller] == history.callers[caller].count - 1
        }
    }

    /// A version for a write; no other write has it.
    func nextWrite(caller: Int) -> UInt64 {
        writes += 1
        return UInt64(caller + 1) << 40 | writes
    }

    /// A request has reached the origin.
    func arrive() -> UInt64 { now() }

    /// A request has ended.
    ///
    /// - Returns: the value that is sent; `nil` when the request was given up or failed.
    func answer(_ key: UInt32, arrivedAt start: UInt64, sends: Bool) -> ScriptedValue? {
        var version: UInt64 = 0
        if sends {
            originVersions[Int(key)] += 1
            version = originVersions[Int(key)]
        }
        if !isClosed {
            history.requests.append(
                RequestRecord(key: key, version: version, start: start, end: now(), isAnswered: sends))
        }
        return sends ? ScriptedValue(key: key, version: version) : nil
    }

    /// Records a broken promise.
    func note(_ finding: EndFinding) { endFindings.append(finding) }

    /// Drops the finding at a position; does nothing where there is none.
    func dropEndFinding(at position: Int) {
        if endFindings.indices.contains(position) { endFindings.remove(at: position) }
    }
}

/// A broken promise that a history does not show.
struct EndFinding: Hashable, Sendable {
    var promise: Promise
    /// The finding in one sentence.
    var what: String
    /// Whether it explains what the history only shows.
    var explains = false

    /// What happened to a load after all others had ended.
    enum LateLoad {
        /// It never returned.
        case lost
        /// It found a value that had been removed before.
        case found
        /// It returned without a fetch.
        case unfetched
        /// It failed, although its fetch did not.
        case failed(String)
    }

    /// The strategy counts loads in flight when there are none.
    static func leakedLoads(_ count: Int) -> EndFinding {
        EndFinding(
            promise: .noLeakedLoad, what: "the strategy counts \(count) loads in flight, and there are none")
    }

    /// A load after all others had ended returned a wrong result.
    static func lateLoad(_ key: UInt32, _ load: LateLoad) -> EndFinding {
        let late = "a load of key \(key) after all others had ended"
        return switch load {
        case .lost: EndFinding(promise: .noLeakedLoad, what: "\(late) never returned")
        case .found: EndFinding(promise: .noResurrection, what: "key \(key) was removed, and a load found it")
        case .unfetched: EndFinding(promise: .noLeakedLoad, what: "\(late) fetched nothing")
        case .failed(let error):
            EndFinding(promise: .errors, what: "\(late) failed, and its fetch did not: \(error)")
        }
    }
}
