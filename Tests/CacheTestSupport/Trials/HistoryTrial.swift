package import CacheStrategies
import Dispatch
import Foundation
package import HistoryChecking
import TrialModel

/// A few callers on a strategy with room for half of the keys, each with a seeded script; their operations are
/// recorded.
///
/// Callers of a synchronous strategy are threads, those of other strategies are tasks. The machine decides their
/// order, so a trial has many operations on few keys, and fetches that wait until other callers have made progress.
package struct HistoryTrial<Strategy: CacheStrategy>: Sendable {
    let subject: TrialSubject<Strategy>
    let seed: UInt64
    package var callerCount = 4
    package var operationCount = 800
    package var keyCount = 10
    package var entryLimit = 5

    let progress = TrialProgress()
    let origin: TrialOrigin

    package init(_ subject: TrialSubject<Strategy>, seed: UInt64) {
        self.subject = subject
        self.seed = seed
        origin = TrialOrigin(seed: seed, progress) { try subject.makeValue($0, $1).encoded() }
    }

    /// Runs the trial and returns its history. It also ends when callers are lost, and the history says so.
    package func run(on cache: Strategy) async -> History {
        let logs = (0..<callerCount).map { _ in CallerLog() }
        if let synchronous = cache as? any SynchronousCacheStrategy<Strategy.Key, Strategy.Value> {
            await onThread { runThreads(on: synchronous, logs) }
        } else {
            await withTaskGroup(of: Void.self) { group in
                for (caller, log) in logs.enumerated() {
                    group.addTask { await call(cache, caller, log) }
                }
            }
        }
        return History(
            callers: logs.map(\.records), requests: origin.requests, sentCounts: logs.map(\.sentCount),
            answeredFetchCount: origin.answeredFetchCount)
    }

    func script(_ caller: Int) -> CallerScript { CallerScript(seed: seed, caller: caller, keys: keyCount) }

    private func call(_ cache: Strategy, _ caller: Int, _ log: CallerLog) async {
        var script = script(caller)
        for _ in 0..<operationCount {
            await send(script.next(), to: cache, log)
            progress.complete()
        }
    }

    private func send(_ step: CallerScript.Step, to cache: Strategy, _ log: CallerLog) async {
        let key = subject.makeKey(step.key)
        let value = step.kind == .write ? subject.makeValue(step.key, step.version) : nil
        log.begin(step.kind, key: step.key, version: step.version)
        switch step.kind {
        case .read:
            let found = await cache.value(forKey: key)
            log.end(found == nil ? .miss : .hit, found.map(subject.stamp))
        case .load, .burst:
            do {
                let loaded = try await cache.load(key) { try await origin.fetchSuspending(step.key) }
                log.end(loaded.outcome.recorded, subject.stamp(loaded.value))
            } catch {
                log.end(.failed)
            }
        case .write:
            if let value { await cache.insert(value, forKey: key, cost: value.cost) }
            log.end(.done)
        case .remove:
            await cache.removeValue(forKey: key)
            log.end(.done)
        case .clear:
            await cache.removeAll()
            log.end(.done)
        case .prefetch: log.end(.done)
        }
    }
}

/// Runs `body` on its own thread, so that it may block without blocking tasks.
package func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}
