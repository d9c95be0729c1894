import CacheStrategies
import Foundation
import HistoryChecking
import Locks
import Platform
import TrialModel

// Callers on threads and callers as tasks: each runs the operations of its script and records the outcomes.

extension Crowd {
    /// Not async, so that the synchronous overloads are called.
    func callBlocking<Cache: SynchronousCacheStrategy<Strategy.Key, Strategy.Value>>(
        _ cache: Cache, _ log: CrowdLog<Strategy.Value>, _ origin: CrowdOrigin, _ limit: CrowdClock
    ) {
        var script = CrowdScript(plan, caller: log.caller)
        while limit.goesOn(log.records.count, at: Nanoclock.now()) {
            let step = script.next()
            let key = makeKey(step.key)
            let value = written(by: step)
            let call = Nanoclock.now()
            switch step.kind {
            case .read:
                let found = cache.value(forKey: key)
                log.add(step, found == nil ? .miss : .hit, found, since: call)
            case .write:
                if let value { cache.insert(value, forKey: key, cost: value.cost) }
                log.add(step, .done, nil, since: call)
            case .remove:
                cache.removeValue(forKey: key)
                log.add(step, .done, nil, since: call)
            case .load:
                let loaded = try? cache.loadBlocking(key) { try origin.fetchBlocking(step.key) }
                log.add(step, loaded?.outcome.recorded ?? .failed, loaded?.value, since: call)
            case .clear, .prefetch, .burst: preconditionFailure("a crowd has no such operation")
            }
        }
    }

    func call(
        _ cache: Strategy, _ log: CrowdLog<Strategy.Value>, _ origin: CrowdOrigin, _ limit: CrowdClock
    ) async {
        var script = CrowdScript(plan, caller: log.caller)
        while limit.goesOn(log.records.count, at: Nanoclock.now()) {
            let step = script.next()
            let key = makeKey(step.key)
            let value = written(by: step)
            let call = Nanoclock.now()
            switch step.kind {
            case .read:
                let found = await cache.value(forKey: key)
                log.add(step, found == nil ? .miss : .hit, found, since: call)
            case .write:
                if let value { await cache.insert(value, forKey: key, cost: value.cost) }
                log.add(step, .done, nil, since: call)
            case .remove:
                await cache.removeValue(forKey: key)
                log.add(step, .done, nil, since: call)
            case .load:
                let loaded = try? await cache.load(key) { try await origin.fetch(step.key) }
                log.add(step, loaded?.outcome.recorded ?? .failed, loaded?.value, since: call)
            case .clear, .prefetch, .burst: preconditionFailure("a crowd has no such operation")
            }
            // A caller that never suspends would keep its thread of the pool to itself.
            if log.records.count.isMultiple(of: 16) { await Task.yield() }
        }
    }

    private func written(by step: CrowdScript.Step) -> Strategy.Value? {
        step.kind == .write ? makeValue(Self.number(key: step.key, version: step.version)) : nil
    }

    // MARK: Statistics

    static func sampleBlocking<Cache: SynchronousCacheStrategy<Strategy.Key, Strategy.Value>>(
        _ cache: Cache, _ samples: Locked<[StatisticsSample]>, _ isOver: Locked<Bool>
    ) {
        while !isOver.withLock({ $0 }) {
            let call = Nanoclock.now()
            let known = cache.statistics()
            note(known, since: call, samples)
            usleep(50)
        }
    }

    static func sample(
        _ cache: Strategy, _ samples: Locked<[StatisticsSample]>, _ isOver: Locked<Bool>
    ) async {
        while !isOver.withLock({ $0 }) {
            let call = Nanoclock.now()
            let known = await cache.statistics()
            note(known, since: call, samples)
            try? await Task.sleep(for: .microseconds(50))
        }
    }

    private static func note(_ known: CacheStatistics, since call: UInt64, _ samples: Locked<[StatisticsSample]>) {
        let sample = StatisticsSample(
            call: call, answer: Nanoclock.now(), entryCount: known.entryCount, totalCost: known.totalCost,
            evictions: known.evictions)
        samples.withLock { $0.append(sample) }
    }
}
