package import CacheStrategies
import Foundation
import StrategyTestSupport

/// A cache behind a lock whose entries expire, with one fault in the order of its sections or none.
package final class ExpiryOrderCache<Key: Hashable & Sendable, Value: CacheableValue, Planted: PlantedOrderFault>:
    LoadsUnshared, @unchecked Sendable
{
    // Unchecked, because all of it is mutable, and `lock` guards it.
    private let lock = NSLock()
    private let configuration: StrategyConfiguration
    private var entries: [Key: (value: Value, end: Duration?)] = [:]

    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: Planted.fault?.rawValue ?? "sound-expiry",
            summary: Planted.fault?.summary ?? "looks again before it removes an expired entry", role: .control,
            promises: Promises(limit: .none, timeToLive: .fixed()))
    }

    package init(configuration: StrategyConfiguration) { self.configuration = configuration }

    package func value(forKey key: Key) -> Value? {
        let found = lock.withLock { entries[key] }
        guard let found, isOver(found.end) else { return found?.value }
        lock.withLock {
            guard Planted.has(.expiredInSecondStep) || isOver(entries[key]?.end) else { return }
            entries[key] = nil
        }
        return nil
    }

    private func isOver(_ end: Duration?) -> Bool { end.map { configuration.clock.now() >= $0 } ?? false }

    package func insert(_ value: Value, forKey key: Key, cost: Int) {
        let end = configuration.timeToLive.map { configuration.clock.now() + $0 }
        lock.withLock { entries[key] = (value, end) }
    }

    package func removeValue(forKey key: Key) { lock.withLock { entries[key] = nil } }

    package func removeAll() { lock.withLock { entries.removeAll() } }

    package func statistics() -> CacheStatistics { lock.withLock { CacheStatistics(entryCount: entries.count) } }
}
