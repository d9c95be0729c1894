import CacheStrategies
import Dispatch
import Foundation
import HistoryChecking
import TrialModel

extension HistoryTrial {
    /// Blocks until all callers have ended, or until no caller has made progress for so long that some are lost.
    func runThreads(on cache: any SynchronousCacheStrategy<Strategy.Key, Strategy.Value>, _ logs: [CallerLog]) {
        let group = DispatchGroup()
        for (caller, log) in logs.enumerated() {
            group.enter()
            Thread.detachNewThread {
                callBlocking(cache, caller, log)
                group.leave()
            }
        }
        // In steps, so that the wait is hardly longer than the patience.
        let step = DispatchTimeInterval.milliseconds(Int(subject.patience / .milliseconds(10)))
        var (seen, steps) = (progress.count, 0)
        while steps < 10, group.wait(timeout: .now() + step) == .timedOut {
            steps = progress.count == seen ? steps + 1 : 0
            seen = progress.count
        }
        progress.stop()
    }

    /// Not async, so that the calls use the synchronous methods.
    private func callBlocking<Cache: SynchronousCacheStrategy<Strategy.Key, Strategy.Value>>(
        _ cache: Cache, _ caller: Int, _ log: CallerLog
    ) {
        var script = script(caller)
        for _ in 0..<operationCount where !progress.isOver {
            sendBlocking(script.next(), to: cache, log)
            progress.complete()
        }
    }

    private func sendBlocking<Cache: SynchronousCacheStrategy<Strategy.Key, Strategy.Value>>(
        _ step: CallerScript.Step, to cache: Cache, _ log: CallerLog
    ) {
        let key = subject.makeKey(step.key)
        let value = step.kind == .write ? subject.makeValue(step.key, step.version) : nil
        log.begin(step.kind, key: step.key, version: step.version)
        switch step.kind {
        case .read:
            let found = cache.value(forKey: key)
            log.end(found == nil ? .miss : .hit, found.map(subject.stamp))
        case .load, .burst:
            do {
                let loaded = try cache.loadBlocking(key) { try origin.fetch(step.key) }
                log.end(loaded.outcome.recorded, subject.stamp(loaded.value))
            } catch {
                log.end(.failed)
            }
        case .write:
            if let value { cache.insert(value, forKey: key, cost: value.cost) }
            log.end(.done)
        case .remove:
            cache.removeValue(forKey: key)
            log.end(.done)
        case .clear:
            cache.removeAll()
            log.end(.done)
        case .prefetch: log.end(.done)
        }
    }
}
