import CacheStrategies
import Dispatch
import TrialModel

/// Inserts and removals are queued, and every lookup waits for those before it. Sound.
class QueuedCache: ExpiringPlainCache, @unchecked Sendable {
    // Sound although unchecked: a queue is safe from any thread.
    private let queue = DispatchQueue(label: "queued-cache")

    override class var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "queued", summary: "inserts on a serial queue, lookups behind them", bounds: [.entries, .cost],
            promises: Promises(limitRules: LimitRules(zero: .holdsNothing)))
    }

    /// Runs `body` after all earlier jobs of the queue.
    func afterQueue<Result>(_ body: () -> Result) -> Result { queue.sync(execute: body) }

    final func lookUpNow(_ key: Int) -> StampedBytes? { exclusively { lookUp(key) } }

    override func value(forKey key: Int) -> StampedBytes? { afterQueue { lookUpNow(key) } }

    override func insert(_ value: StampedBytes, forKey key: Int, cost: Int) {
        queue.async { [self] in exclusively { put(value, forKey: key, cost: cost) } }
    }

    override func removeValue(forKey key: Int) {
        queue.async { [self] in exclusively { remove(key) } }
    }

    override func removeAll() {
        queue.async { [self] in exclusively { empty() } }
    }

    override func statistics() -> CacheStatistics { queue.sync { super.statistics() } }

    /// It has no lifetimes.
    override func isOver(_ expiry: Duration, at now: Duration) -> Bool { false }
}

/// Its author thought: the store is safe from any thread, so why wait for the queue?
final class DirectReadCache: QueuedCache, @unchecked Sendable {
    // Broken on purpose.
    override func value(forKey key: Int) -> StampedBytes? { lookUpNow(key) }

    static let mutant = Mutant(
        "direct-read-after-queued-insert", .values, caughtBy: .promise(.freshness),
        "inserts are queued, and lookups don't wait for them", DirectReadCache.self)
}

/// Sound: the same, as a cache that declares that writes are seen later.
final class EventualCache: QueuedCache, @unchecked Sendable {
    // Sound although unchecked: as `QueuedCache`.
    override class var declaration: StrategyDeclaration {
        var declaration = StrategyDeclaration.habit(
            "eventual", "writes on a serial queue, and lookups that don't wait for them",
            Promises(consistency: .eventual, timeToLive: true, limitRules: LimitRules(zero: .holdsNothing)))
        declaration.worksInBackground = true
        return declaration
    }

    override class var isExactLRU: Bool { false }

    override func value(forKey key: Int) -> StampedBytes? { lookUpNow(key) }
    override func isOver(_ expiry: Duration, at now: Duration) -> Bool { now >= expiry }
}
