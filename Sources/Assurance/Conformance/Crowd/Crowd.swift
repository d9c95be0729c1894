package import CacheStrategies
import Dispatch
import Foundation
package import HistoryChecking
import Locks
import Platform
import TrialModel

/// Concurrent callers of one cache, recorded as a history: the driver of every check that needs them.
///
/// Callers are threads or tasks, each with a seeded script. The machine decides their order, so a crowd has many
/// operations on few keys. Every value belongs to a key and a version, so that it identifies the insert or the request
/// that made it.
package struct Crowd<Strategy: CacheStrategy>: Sendable {
    let plan: CrowdPlan
    let makeKey: @Sendable (Int) -> Strategy.Key
    let makeValue: @Sendable (_ key: Int, _ version: UInt64) -> Strategy.Value
    /// What a value says of itself; `nil` for values that are told by their bytes.
    let stamp: (@Sendable (Strategy.Value) -> ValueStamp)?
    /// How far the callers are.
    package let progress: CrowdProgress

    package init(
        plan: CrowdPlan, makeKey: @escaping @Sendable (Int) -> Strategy.Key,
        makeValue: @escaping @Sendable (_ key: Int, _ version: UInt64) -> Strategy.Value,
        stamp: (@Sendable (Strategy.Value) -> ValueStamp)? = nil
    ) {
        self.plan = plan
        self.makeKey = makeKey
        self.makeValue = makeValue
        self.stamp = stamp
        progress = CrowdProgress(callers: plan.callers)
    }

    /// Runs the callers and, if so planned, a sampler of the statistics beside them.
    ///
    /// - Parameters:
    ///   - patience: how long no caller may make progress before those in flight count as lost; see ``WorkWatch``.
    ///   - calls: where the calls in flight are recorded.
    ///   - moving: moves a manual clock past the lifetime of every entry, again and again beside the callers.
    /// - Returns: the history; the operations of lost callers never returned in it, and the callers are abandoned.
    package func run(
        on cache: Strategy, _ driver: CrowdDriver, patience: Duration, _ calls: CallsInFlight = CallsInFlight(),
        moving: (@Sendable () -> Void)? = nil
    ) async -> History {
        let origin = CrowdOrigin(plan, progress) { [makeValue] in try makeValue($0, $1).encoded() }
        let logs = (0..<plan.callers).map { CrowdLog<Strategy.Value>(caller: $0, progress, stamp) }
        let samples = Locked([StatisticsSample]())
        calls.add(ended: { [progress] in UInt64(progress.count) }, texts: { logs.compactMap(\.inFlight) })
        defer { calls.dropOthers() }
        let (callers, sampler) = (DispatchGroup(), DispatchGroup())
        let clock = CrowdClock(plan)
        let synchronous = cache as? any SynchronousCacheStrategy<Strategy.Key, Strategy.Value>
        for log in logs {
            if let synchronous, driver.isThread(log.caller) {
                Self.detach(callers) { callBlocking(synchronous, log, origin, clock) }
            } else {
                Self.detachTask(callers) { await call(cache, log, origin, clock) }
            }
        }
        let losses = Locked([ClosedRange<UInt64>]())
        if let moving {
            Self.detachTask(sampler) {
                while !progress.isOver {
                    let call = Nanoclock.now()
                    moving()
                    let answer = Nanoclock.now()
                    losses.withLock { $0.append(call...answer) }
                    try? await Task.sleep(for: .microseconds(200))
                }
            }
        }
        if plan.samples { Self.detachTask(sampler) { await sample(cache, samples) } }
        await wait(for: callers, patience)
        progress.stop()
        await wait(for: sampler, patience)
        var history = history(logs, origin, samples.withLock { $0 })
        history.losses = losses.withLock { $0 }
        return history
    }

    /// Waits until a group has ended, or nothing goes on any more.
    private func wait(for group: DispatchGroup, _ patience: Duration) async {
        let isStill = DispatchSemaphore(value: 0)
        let watch = WorkWatch(patience, steps: { [progress] in UInt64(progress.count) }) { _ in
            isStill.signal()
            return true
        }
        group.notify(queue: .global()) { isStill.signal() }
        await onThread { isStill.wait() }
        watch.end()
    }

    private static func detach(_ group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
        group.enter()
        Thread.detachNewThread {
            body()
            group.leave()
        }
    }

    private static func detachTask(_ group: DispatchGroup, _ body: @escaping @Sendable () async -> Void) {
        group.enter()
        Task.detached {
            await body()
            group.leave()
        }
    }

    /// Values that are told by their bytes are read after all callers have ended.
    private func history(
        _ logs: [CrowdLog<Strategy.Value>], _ origin: CrowdOrigin, _ samples: [StatisticsSample]
    ) -> History {
        let notes = logs.map(\.notes)
        var numbers: [Data: ValueStamp] = [:]
        func note(_ key: UInt32, _ version: UInt64) {
            guard let bytes = try? makeValue(Int(key), version).encoded() else { return }
            numbers[bytes] = ValueStamp(key: key, version: version, isIntact: true)
        }
        if stamp == nil {
            for request in origin.requests { note(request.key, request.version) }
            for record in notes.flatMap(\.records) where record.kind == .write { note(record.key, record.version) }
        }
        let callers = notes.map { notes in
            var records = notes.records
            for (place, value) in notes.values {
                let known = (try? value.encoded()).flatMap { numbers[$0] }
                records[place].version = known?.version ?? 0
                records[place].valueKey = known?.key ?? .max
            }
            return records
        }
        var history = History(
            callers: callers, requests: origin.requests, sentCounts: notes.map(\.sent),
            answeredFetchCount: origin.answeredFetchCount)
        history.samples = samples
        return history
    }
}

/// What carries the callers of a crowd: threads, tasks, or threads and tasks by turns.
package enum CrowdDriver: String, Sendable, CaseIterable {
    case threads, tasks
    case both = "threads and tasks"

    func isThread(_ caller: Int) -> Bool { self == .threads || self == .both && caller.isMultiple(of: 2) }
}

/// Runs `body` on its own thread, so that it may block without blocking tasks.
package func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

// MARK: Callers

extension Crowd {
    private typealias Step = CrowdScript.Step

    /// Not async, so that the synchronous overloads are called.
    private func callBlocking<Cache: SynchronousCacheStrategy<Strategy.Key, Strategy.Value>>(
        _ cache: Cache, _ log: CrowdLog<Strategy.Value>, _ origin: CrowdOrigin, _ clock: CrowdClock
    ) {
        var script = CrowdScript(plan, caller: log.caller)
        while !progress.isOver, clock.goesOn(log.sent, at: Nanoclock.now()) {
            let step = script.next()
            let key = makeKey(step.key)
            let value = written(by: step)
            log.begin(step)
            switch step.kind {
            case .read:
                let found = cache.value(forKey: key)
                log.end(found == nil ? .miss : .hit, found)
            case .load:
                let loaded = try? cache.loadBlocking(key) { try origin.fetchBlocking(step.key) }
                log.end(loaded?.outcome.recorded ?? .failed, loaded?.value)
            case .write:
                if let value { cache.insert(value, forKey: key, cost: value.cost) }
                log.end(.done)
            case .remove:
                cache.removeValue(forKey: key)
                log.end(.done)
            case .clear:
                cache.removeAll()
                log.end(.done)
            case .prefetch, .burst: preconditionFailure("a crowd has no such operation")
            }
        }
    }

    private func call(
        _ cache: Strategy, _ log: CrowdLog<Strategy.Value>, _ origin: CrowdOrigin, _ clock: CrowdClock
    ) async {
        var script = CrowdScript(plan, caller: log.caller)
        while !progress.isOver, clock.goesOn(log.sent, at: Nanoclock.now()) {
            let step = script.next()
            let key = makeKey(step.key)
            let value = written(by: step)
            log.begin(step)
            switch step.kind {
            case .read:
                let found = await cache.value(forKey: key)
                log.end(found == nil ? .miss : .hit, found)
            case .load:
                let loaded = try? await cache.load(key) { try await origin.fetch(step.key) }
                log.end(loaded?.outcome.recorded ?? .failed, loaded?.value)
            case .write:
                if let value { await cache.insert(value, forKey: key, cost: value.cost) }
                log.end(.done)
            case .remove:
                await cache.removeValue(forKey: key)
                log.end(.done)
            case .clear:
                await cache.removeAll()
                log.end(.done)
            case .prefetch, .burst: preconditionFailure("a crowd has no such operation")
            }
            // A caller that never suspends would keep its thread of the pool to itself.
            if log.sent.isMultiple(of: 16) { await Task.yield() }
        }
    }

    private func written(by step: Step) -> Strategy.Value? {
        step.kind == .write ? makeValue(step.key, step.version) : nil
    }

    // MARK: Statistics

    private func sample(_ cache: Strategy, _ samples: Locked<[StatisticsSample]>) async {
        while !progress.isOver {
            let call = Nanoclock.now()
            let known = await cache.statistics()
            let sample = StatisticsSample(
                call: call, answer: Nanoclock.now(), entryCount: known.entryCount, totalCost: known.totalCost,
                evictions: known.evictions)
            samples.withLock { $0.append(sample) }
            try? await Task.sleep(for: .microseconds(50))
        }
    }
}
