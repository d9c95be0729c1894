import Foundation
import HistoryChecking
import Locks
import Platform
import TrialModel

/// The key, the version and the state of a value, as its bytes say.
package struct ValueStamp: Hashable, Sendable {
    package var key: UInt32
    package var version: UInt64
    /// Whether every byte is the right one.
    package var isIntact: Bool

    package init(key: UInt32, version: UInt64, isIntact: Bool) {
        self.key = key
        self.version = version
        self.isIntact = isIntact
    }
}

/// What one caller did. An operation in flight is recorded as one that never returned.
///
/// Each log has a lock of its own, which only its caller takes while the crowd runs: recording orders no two callers.
final class CrowdLog<Value: Sendable>: Sendable {
    struct Notes: Sendable {
        var records: [OperationRecord] = []
        /// Values that are told by their bytes, by the index of their record.
        var values: [(place: Int, value: Value)] = []
        /// How many operations were sent, counted separately.
        var sent = 0
    }

    let caller: Int
    private let progress: CrowdProgress
    private let stamp: (@Sendable (Value) -> ValueStamp)?
    private let state = Locked(Notes())

    init(caller: Int, _ progress: CrowdProgress, _ stamp: (@Sendable (Value) -> ValueStamp)?) {
        self.caller = caller
        self.progress = progress
        self.stamp = stamp
    }

    /// The notes so far.
    var notes: Notes { state.withLock { $0 } }
    /// The call that has not returned; `nil` between two calls.
    var inFlight: String? {
        guard let last = state.withLock({ $0.records.last }), !last.isAnswered else { return nil }
        return "a \(last.kind) of key \(last.key) by a concurrent caller"
    }
    /// How many operations the caller has sent.
    var sent: Int { state.withLock { $0.sent } }

    /// The caller is about to call.
    func begin(_ step: CrowdScript.Step) {
        state.withLock { notes in
            notes.sent += 1
            notes.records.append(
                OperationRecord(
                    step.kind, key: UInt32(step.key), version: step.version, outcome: .done, call: Nanoclock.now(),
                    answer: OperationRecord.never))
        }
    }

    /// The call has returned. The value is read after the time is taken.
    func end(_ outcome: Outcome, _ value: Value? = nil) {
        let answer = Nanoclock.now()
        let known = value.flatMap { value in stamp?(value) }
        state.withLock { notes in
            let last = notes.records.count - 1
            guard last >= 0 else { return }
            notes.records[last].answer = answer
            notes.records[last].outcome = outcome
            if let known {
                notes.records[last].version = known.version
                notes.records[last].valueKey = known.key
                notes.records[last].isIntact = known.isIntact
            } else if let value {
                notes.values.append((last, value))
            }
        }
        progress.complete(caller)
    }
}

/// How far the callers of a crowd are. One of them can wait a little until others have made progress.
package final class CrowdProgress: Sendable {
    /// Operations that have returned, each written by one caller.
    private let completed: [Locked<Int>]
    private let hasStopped = Locked(false)

    init(callers: Int) { completed = (0..<callers).map { _ in Locked(0) } }

    /// Operations that have returned. O(callers).
    package var count: Int { completed.reduce(0) { $0 + $1.withLock { $0 } } }

    /// Whether callers send no more operations.
    var isOver: Bool { hasStopped.withLock { $0 } }

    func complete(_ caller: Int) { completed[caller].withLock { $0 += 1 } }

    func stop() { hasStopped.withLock { $0 = true } }

    /// Blocks until others have completed some operations. The wait is short: they may be waiting for this caller.
    package func letOthersComplete(_ operations: Int) {
        let goal = count + operations
        let deadline = Nanoclock.now() &+ 1_000_000
        while count < goal, Nanoclock.now() < deadline { sched_yield() }
    }

    /// The same for a task, which yields instead.
    func letOtherTasksComplete(_ operations: Int) async {
        let goal = count + operations
        for _ in 0..<32 where count < goal { await Task.yield() }
    }
}

/// When the callers of a crowd stop.
struct CrowdClock: Sendable {
    private let start = Nanoclock.now()
    private let time: UInt64
    private let timeMax: UInt64
    private let operations: ClosedRange<Int>

    init(_ plan: CrowdPlan) {
        time = UInt64(max(plan.time / .nanoseconds(1), 0))
        timeMax = UInt64(max(plan.timeMax / .nanoseconds(1), 0))
        operations = plan.operationsMin...max(plan.operationsMin, plan.operationsMax)
    }

    /// Whether a caller that has sent this many operations sends another one.
    func goesOn(_ sent: Int, at moment: UInt64) -> Bool {
        guard sent < operations.upperBound else { return false }
        let elapsed = Nanoclock.elapsed(from: start, to: moment)
        return elapsed < (sent < operations.lowerBound ? timeMax : time)
    }
}
