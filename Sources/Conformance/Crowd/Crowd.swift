import CacheStrategies
import Dispatch
import Foundation
import HistoryChecking
import Locks
import Platform
import TrialModel

/// Concurrent callers of one cache, recorded as a history.
///
/// Values are numbered by key and version, so that each one identifies the insert or the request that made it.
struct Crowd<Strategy: CacheStrategy>: Sendable {
    let plan: CrowdPlan
    /// A value with a number.
    let makeValue: @Sendable (Int) -> Strategy.Value
    let makeKey: @Sendable (Int) -> Strategy.Key

    /// The number of a value: different for each key and version.
    static func number(key: Int, version: UInt64) -> Int { key << 32 | Int(truncatingIfNeeded: version) }

    /// Runs the callers and, concurrently, a sampler of the statistics.
    ///
    /// - Parameter patience: how long to wait for callers after the time of the plan.
    /// - Returns: `nil` when some callers had not returned by then. Those callers are abandoned.
    func run(on cache: Strategy, _ driver: CrowdDriver, patience: Duration) async -> History? {
        let origin = CrowdOrigin(gathered: plan.gathered) { [makeValue] in
            try makeValue(Self.number(key: $0, version: $1)).encoded()
        }
        let logs = (0..<plan.callers).map { CrowdLog<Strategy.Value>(caller: $0) }
        let samples = Locked([StatisticsSample]())
        let isOver = Locked(false)
        let callers = DispatchGroup()
        let sampler = DispatchGroup()
        let limit = CrowdClock(plan)
        if driver == .threads, let cache = cache as? any SynchronousCacheStrategy<Strategy.Key, Strategy.Value> {
            for log in logs {
                Self.detach(callers) { callBlocking(cache, log, origin, limit) }
            }
            Self.detach(sampler) { Self.sampleBlocking(cache, samples, isOver) }
        } else {
            for log in logs {
                callers.enter()
                Task.detached {
                    await call(cache, log, origin, limit)
                    callers.leave()
                }
            }
            sampler.enter()
            Task.detached {
                await Self.sample(cache, samples, isOver)
                sampler.leave()
            }
        }
        let deadline = plan.timeMax + patience
        let haveEnded = await Self.wait(for: callers, deadline)
        isOver.withLock { $0 = true }
        guard haveEnded, await Self.wait(for: sampler, patience) else { return nil }
        return history(logs, origin.requests, samples.withLock { $0 })
    }

    private static func detach(_ group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
        group.enter()
        Thread.detachNewThread {
            body()
            group.leave()
        }
    }

    private static func wait(for group: DispatchGroup, _ patience: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let limit = DispatchTimeInterval.milliseconds(Int(patience / .milliseconds(1)))
                continuation.resume(returning: group.wait(timeout: .now() + limit) == .success)
            }
        }
    }

    // MARK: Results

    /// Values are read after all callers have ended.
    private func history(
        _ logs: [CrowdLog<Strategy.Value>], _ requests: [RequestRecord], _ samples: [StatisticsSample]
    ) -> History {
        var numbers: [Data: (key: UInt32, version: UInt64)] = [:]
        func note(_ key: UInt32, _ version: UInt64) {
            let value = makeValue(Self.number(key: Int(key), version: version))
            if let bytes = try? value.encoded() { numbers[bytes] = (key, version) }
        }
        for request in requests { note(request.key, request.version) }
        for log in logs {
            for record in log.records where record.kind == .write { note(record.key, record.version) }
        }
        let callers = logs.map { log in
            var records = log.records
            for (place, value) in log.values {
                let known = (try? value.encoded()).flatMap { numbers[$0] }
                records[place].version = known?.version ?? 0
                records[place].valueKey = known?.key ?? .max
            }
            return records
        }
        var history = History(callers: callers, requests: requests)
        history.samples = samples
        return history
    }
}

/// When the callers of a crowd stop.
struct CrowdClock: Sendable {
    private let start = Nanoclock.now()
    private let time: UInt64
    private let timeMax: UInt64
    private let operationsMin: Int
    private let operationsMax: Int

    init(_ plan: CrowdPlan) {
        time = UInt64(max(plan.time / .nanoseconds(1), 0))
        timeMax = UInt64(max(plan.timeMax / .nanoseconds(1), 0))
        operationsMin = plan.operationsMin
        operationsMax = plan.operationsMax
    }

    /// Whether a caller that has sent this many operations sends another one.
    func goesOn(_ sent: Int, at moment: UInt64) -> Bool {
        guard sent < operationsMax else { return false }
        let elapsed = Nanoclock.elapsed(from: start, to: moment)
        return elapsed < (sent < operationsMin ? timeMax : time)
    }
}

/// What one caller did. Only the caller touches it, and then the code that waited for the caller's end.
final class CrowdLog<Value: Sendable>: @unchecked Sendable {
    // Sound although unchecked: see above.
    let caller: Int
    private(set) var records: [OperationRecord] = []
    /// Values by the index of their record; read after the run.
    private(set) var values: [(place: Int, value: Value)] = []

    init(caller: Int) { self.caller = caller }

    func add(_ step: CrowdScript.Step, _ outcome: Outcome, _ value: Value?, since call: UInt64) {
        let answer = Nanoclock.now()
        if let value { values.append((records.count, value)) }
        records.append(
            OperationRecord(
                step.kind, key: UInt32(step.key), version: step.version, outcome: outcome, call: call, answer: answer))
    }
}
