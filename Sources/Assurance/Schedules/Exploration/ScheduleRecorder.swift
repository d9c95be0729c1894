import CThreadControl
import CacheStrategies
import Foundation
import HistoryChecking
import TrialModel

/// The records of a schedule's callers and origin, on a clock that counts events. Its memory is reused for many
/// schedules.
final class ScheduleRecorder: @unchecked Sendable {
    // Unchecked, because all of it is mutable: everything that uses it runs one job at a time. Only where nothing orders
    // threads may one of the cache's own threads resume a caller, so that each change is `alone`. What allocates is
    // `undivided`: instrumented code has atomics even in an array that grows, where another caller could continue.

    private(set) var history = History()
    /// For each caller, the index of its last cancelled operation.
    private var givenUp: [Int?] = []
    /// The number of callers that have not ended.
    private(set) var callersInFlight = 0
    /// The most entries that the cache of this schedule may hold.
    private(set) var entryLimit: Int?
    /// Calls for statistics that have not returned.
    private(set) var statisticsInFlight = 0
    /// Findings in addition to the history.
    private(set) var endFindings: [EndFinding] = []
    /// Whether the end is being checked, which is not part of the history.
    var isClosed = false
    /// Whether the schedule is over. What a caller does that a thread resumes later belongs to none.
    private var isOver = false
    /// The clock of a cache with lifetimes.
    let clock = ScheduleClock()
    private var moment: UInt64 = 0
    private var originVersions: [UInt64] = Array(repeating: 0, count: ScheduleScript.keysMax)
    private var writes: UInt64 = 0

    /// Clears it for a new schedule.
    ///
    /// - Parameter entryLimit: the most entries that the cache may hold.
    func begin(callerCount: Int, entryLimit: Int?) {
        self.entryLimit = entryLimit
        if history.callers.count > callerCount { history.callers.removeLast(history.callers.count - callerCount) }
        for caller in history.callers.indices { history.callers[caller].removeAll(keepingCapacity: true) }
        while history.callers.count < callerCount { history.callers.append([]) }
        history.requests.removeAll(keepingCapacity: true)
        history.samples.removeAll(keepingCapacity: true)
        history.losses.removeAll(keepingCapacity: true)
        clock.now = .zero
        statisticsInFlight = 0
        givenUp.removeAll(keepingCapacity: true)
        givenUp.append(contentsOf: repeatElement(nil, count: callerCount))
        endFindings.removeAll(keepingCapacity: true)
        callersInFlight = callerCount
        isClosed = false
        (moment, writes, isOver) = (0, 0, false)
        for key in originVersions.indices { originVersions[key] = 0 }
    }

    /// The next time of the clock, later than all before.
    private func now() -> UInt64 {
        moment += 1
        return moment
    }

    /// One more caller begins, after the others.
    func beginOne() { alone { callersInFlight += 1 } }

    /// A caller has ended.
    func end() { alone { callersInFlight -= isOver ? 0 : 1 } }

    /// Ends the schedule where nothing orders threads: a caller that has not returned may still do so.
    ///
    /// - Returns: whether there is such a caller, so that the recorder can't be used again.
    func stop() -> Bool {
        alone {
            isOver = callersInFlight > 0 || statisticsInFlight > 0
            return isOver
        }
    }

    /// An operation is called; ``finish(_:caller:outcome:value:)`` says how it ended.
    func call(_ kind: OperationKind, key: UInt32, caller: Int, version: UInt64 = 0, mayGiveUp: Bool = false) {
        undivided {
            guard !isOver else { return }
            history.callers[caller].append(
                OperationRecord(
                    kind, key: key, version: version, outcome: .failed, call: now(), answer: OperationRecord.never,
                    mayGiveUp: mayGiveUp))
        }
    }

    /// A caller's operation in flight has returned.
    func finish(caller: Int, outcome: Outcome, value: ScriptedValue? = nil) {
        alone {
            let last = history.callers[caller].count - 1
            guard last >= 0, !isOver else { return }
            history.callers[caller][last].answer = now()
            history.callers[caller][last].outcome = outcome
            if let value {
                history.callers[caller][last].version = value.version
                history.callers[caller][last].valueKey = value.key
            }
        }
    }

    /// Statistics are requested.
    ///
    /// - Returns: the moment, for ``answerStatistics(requestedAt:_:)``.
    func requestStatistics() -> UInt64 {
        alone {
            statisticsInFlight += 1
            return now()
        }
    }

    /// Statistics are returned.
    func answerStatistics(requestedAt call: UInt64, _ statistics: CacheStatistics) {
        undivided {
            guard !isOver else { return }
            statisticsInFlight -= 1
            history.samples.append(
                StatisticsSample(
                    call: call, answer: now(), entryCount: statistics.entryCount, totalCost: statistics.totalCost))
        }
    }

    /// The lifetime of every entry is over.
    func expire() {
        undivided {
            guard !isOver else { return }
            let start = now()
            clock.now += ScheduleClock.lifetime * 2
            history.losses.append(start...now())
        }
    }

    /// How many operations a caller has called.
    func callCount(caller: Int) -> Int { alone { history.callers[caller].count } }

    /// An operation of a caller is cancelled; it may not have been called yet, or may have returned already.
    func giveUp(caller: Int, operation: Int) { alone { givenUp[caller] = operation } }

    /// The first caller whose operation was cancelled and has not returned.
    var callerGivingUp: Int? {
        alone {
            history.callers.indices.first { caller in
                guard let last = history.callers[caller].last, !last.isAnswered else { return false }
                return givenUp[caller] == history.callers[caller].count - 1
            }
        }
    }

    /// A version for a write; no other write has it.
    func nextWrite(caller: Int) -> UInt64 {
        alone {
            writes += 1
            return UInt64(caller + 1) << 40 | writes
        }
    }

    /// A request has reached the origin.
    func arrive() -> UInt64 { alone { now() } }

    /// A request has ended.
    ///
    /// - Returns: the value that is sent; `nil` when the request was given up or failed.
    func answer(_ key: UInt32, arrivedAt start: UInt64, sends: Bool) -> ScriptedValue? {
        undivided {
            var version: UInt64 = 0
            if sends {
                originVersions[Int(key)] += 1
                version = originVersions[Int(key)]
            }
            if !isClosed, !isOver {
                history.requests.append(
                    RequestRecord(key: key, version: version, start: start, end: now(), isAnswered: sends))
            }
            return sends ? ScriptedValue(key: key, version: version) : nil
        }
    }

    /// Records a broken promise.
    func note(_ finding: EndFinding) { undivided { if !isOver { endFindings.append(finding) } } }

    // MARK: The end

    /// All callers have returned: a strategy that still counts loads in flight has leaked them.
    func probeLoads(inFlight count: Int?) {
        if let count, count != 0 {
            note(.noLeakedLoad, "the strategy counts \(count) loads in flight, and there are none")
        }
    }

    /// A key was removed, and a load of it begins after all callers have ended. Until it ends, it counts as lost.
    ///
    /// - Returns: what ``endProbe(_:of:_:hasFetched:)`` needs.
    func beginProbe(of key: UInt32) -> Int {
        note(.noLeakedLoad, "\(Self.late(key)) never returned")
        return endFindings.count - 1
    }

    /// The load has ended. It must have fetched.
    func endProbe(_ position: Int, of key: UInt32, _ ended: Result<LoadOutcome, any Error>, hasFetched: Bool) {
        undivided {
            guard !isOver else { return }
            if endFindings.indices.contains(position) { endFindings.remove(at: position) }
            switch ended {
            case .failure(let error): note(.errors, "\(Self.late(key)) failed, and its fetch did not: \(error)")
            case .success where hasFetched: break
            case .success(.hit): note(.noResurrection, "key \(key) was removed, and a load found it")
            case .success: note(.noLeakedLoad, "\(Self.late(key)) fetched nothing")
            }
        }
    }

    private static func late(_ key: UInt32) -> String { "a load of key \(key) after all others had ended" }

    private func note(_ promise: Promise, _ what: String) { note(EndFinding(promise: promise, what: what)) }
}

/// The time of the cache of a schedule: it moves only when a caller says so.
final class ScheduleClock: @unchecked Sendable {
    // Unchecked for the same reason as the recorder: one thread at a time uses it.
    /// The lifetime of entries.
    static var lifetime: Duration { .seconds(3_600) }

    fileprivate(set) var now = Duration.zero

    /// The clock as a cache reads it.
    var cacheClock: CacheClock {
        CacheClock(now: { self.now }, date: { Date(timeIntervalSinceReferenceDate: self.now / .seconds(1)) })
    }
}

/// A broken promise that a history does not show.
struct EndFinding: Hashable, Sendable {
    var promise: Promise
    /// The finding in one sentence.
    var what: String
    /// Whether it explains what the history only shows.
    var explains = false
}

/// Runs a body during which no other ordered thread continues, whatever atomics it uses, and none that nothing orders.
@inline(__always)
func undivided<Result>(_ body: () throws -> Result) rethrows -> Result {
    thread_schedule_set_undivided(true)
    defer { thread_schedule_set_undivided(false) }
    return try alone(body)
}

/// Runs a body during which no thread that nothing orders is in another one.
@inline(__always)
func alone<Result>(_ body: () throws -> Result) rethrows -> Result {
    thread_schedule_set_alone(true)
    defer { thread_schedule_set_alone(false) }
    return try body()
}
