import CacheStrategies
import Foundation
import TrialModel

/// A small half with values and a large one with bytes, each behind its own lock; a third lock covers changes of
/// both. Sound.
class TwinCache: PlainCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`; this part of it is the large half.
    private let small: PlainCache
    private let writers = NSLock()

    override class var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "twin", summary: "a small half with values beside a large one with bytes",
            bounds: [.entries, .cost],
            // Each half has a limit of its own, and evicts.
            promises: Promises(limit: .none, admission: .notWhenFull))
    }

    override class var isExactLRU: Bool { false }

    required init(configuration: StrategyConfiguration) throws {
        small = try PlainCache(configuration: StrategyConfiguration(entryLimit: 2))
        try super.init(configuration: configuration)
    }

    override func statistics() -> CacheStatistics { CacheStatistics() }

    func withBothHalves(_ body: () -> Void) { writers.withLock(body) }

    override func value(forKey key: Int) -> StampedBytes? { small.value(forKey: key) ?? exclusively { lookUp(key) } }

    override func insert(_ value: StampedBytes, forKey key: Int, cost: Int) {
        withBothHalves {
            small.insert(value, forKey: key, cost: cost)
            switchPoint.pass()
            exclusively { put(value, forKey: key, cost: cost) }
        }
    }

    override func removeValue(forKey key: Int) {
        withBothHalves {
            small.removeValue(forKey: key)
            exclusively { remove(key) }
        }
    }

    override func removeAll() {
        withBothHalves {
            small.removeAll()
            exclusively { empty() }
        }
    }
}

/// Its author thought: each half has its lock, is that not enough?
final class UnequalTwinCache: TwinCache, @unchecked Sendable {
    // Broken on purpose: two inserts may reach the halves in two orders.
    override func withBothHalves(_ body: () -> Void) { body() }

    static let mutant = Mutant(
        "halves-out-of-step", .values, caughtBy: .promise(.freshness),
        "the decoded and the encoded half are changed under two locks, one after the other", UnequalTwinCache.self)
}
