import HistoryChecking
import TrialModel

/// What the callers of a schedule and its origin write down, on a clock that counts moments.
/// Its memory serves many schedules.
final class ScheduleRecorder: @unchecked Sendable {
    // Unchecked, because all of it is variable: everything that uses it runs on the one thread that runs the schedule, one
    // job at a time.

    private(set) var history = History()
    /// For each caller the place of its last operation that was cancelled.
    private var givenUp: [Int?] = []
    /// The callers that have not come to their end.
    private(set) var callersInFlight = 0
    /// What was found out besides the history.
    private(set) var endFindings: [EndFinding] = []
    /// Whether the end is being looked into, which is no part of the history.
    var isClosed = false
    private var moment: UInt64 = 0
    private var originVersions: [UInt64] = Array(repeating: 0, count: ScheduleScript.keysMax)
    private var writes: UInt64 = 0

    /// Starts anew.
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

    /// A moment later than all before.
    private func now() -> UInt64 {
        moment += 1
        return moment
    }

    /// A caller has come to its end.
    func end() { callersInFlight -= 1 }

    /// An operation is called; ``finish(_:caller:outcome:value:)`` says how it ended.
    func call(_ kind: OperationKind, key: UInt32, caller: Int, version: UInt64 = 0, mayGiveUp: Bool = false) {
        history.callers[caller].append(
            OperationRecord(
                kind, key: key, version: version, outcome: .failed, call: now(), answer: OperationRecord.never,
                mayGiveUp: mayGiveUp))
    }

    /// The operation under way of a caller has returned.
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

    /// An operation of a caller is cancelled; perhaps it has not been called yet, or has returned.
    func giveUp(caller: Int, operation: Int) { givenUp[caller] = operation }

    /// The first caller whose operation was cancelled and has not returned.
    var callerGivingUp: Int? {
        history.callers.indices.first { caller in
            guard let last = history.callers[caller].last, !last.isAnswered else { return false }
            return givenUp[caller] == history.callers[caller].count - 1
        }
    }

    /// A version for a write that nobody else writes.
    func nextWrite(caller: Int) -> UInt64 {
        writes += 1
        return UInt64(caller + 1) << 40 | writes
    }

    /// A request has reached the origin.
    func arrive() -> UInt64 { now() }

    /// A request is over.
    ///
    /// - Returns: what is sent; `nil` when it was given up or failed.
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

    /// Notes a promise that was broken.
    func note(_ finding: EndFinding) { endFindings.append(finding) }

    /// Takes back what was noted as the only one at a place.
    func dropEndFinding(at position: Int) {
        if endFindings.indices.contains(position) { endFindings.remove(at: position) }
    }
}

/// A promise that was broken in a way that a history does not show.
struct EndFinding: Hashable, Sendable {
    var promise: Promise
    /// In one sentence.
    var what: String
    /// Whether it says why, where the history says only that.
    var explains = false

    /// How a load went that came after all others had ended.
    enum LateLoad {
        /// It never returned.
        case lost
        /// It found what had been removed before.
        case found
        /// It returned without a fetch.
        case unfetched
        /// It failed, and its fetch did not.
        case failed(String)
    }

    /// The strategy counts loads under way when there are none.
    static func leakedLoads(_ count: Int) -> EndFinding {
        EndFinding(
            promise: .noLeakedLoad, what: "\(count) loads are under way by the strategy's account, and none is")
    }

    /// A load after all others had ended did not go as it should.
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
