package import CacheStrategies
import Foundation
import StrategyTestSupport

/// A cache behind a lock that evicts the oldest entry, with one fault in the order of its sections or none.
package final class LimitOrderCache<Key: Hashable & Sendable, Value: CacheableValue, Planted: PlantedOrderFault>:
    LoadsUnshared, @unchecked Sendable
{
    // Unchecked, because all of it is mutable, and `lock` guards it.
    private let lock = NSLock()
    private let limit: Int
    private var entries: [Key: Value] = [:]
    /// The keys, the oldest first.
    private var ages: [Key] = []

    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: Planted.fault?.rawValue ?? "sound-limits",
            summary: Planted.fault?.summary ?? "one section for insert and eviction", role: .control,
            promises: Promises())
    }

    package init(configuration: StrategyConfiguration) {
        limit = configuration.entryLimit ?? .max
    }

    package func value(forKey key: Key) -> Value? { lock.withLock { entries[key] } }

    package func insert(_ value: Value, forKey key: Key, cost: Int) {
        if Planted.has(.roomMadeBefore) {
            lock.withLock { evict(downTo: entries[key] == nil ? limit - 1 : limit) }
            lock.withLock { put(value, key) }
        } else if Planted.has(.evictedAfterwards) || Planted.has(.countHidesExcess) {
            lock.withLock { put(value, key) }
            lock.withLock { evict(downTo: limit) }
        } else {
            lock.withLock {
                put(value, key)
                evict(downTo: limit)
            }
        }
    }

    package func removeValue(forKey key: Key) {
        lock.withLock {
            entries[key] = nil
            ages.removeAll { $0 == key }
        }
    }

    package func removeAll() {
        lock.withLock {
            entries.removeAll()
            ages.removeAll()
        }
    }

    package func statistics() -> CacheStatistics {
        lock.withLock {
            CacheStatistics(entryCount: Planted.has(.countHidesExcess) ? min(entries.count, limit) : entries.count)
        }
    }

    /// Call only while `lock` is held.
    private func put(_ value: Value, _ key: Key) {
        if entries.updateValue(value, forKey: key) == nil { ages.append(key) }
    }

    /// Call only while `lock` is held.
    private func evict(downTo limit: Int) {
        while ages.count > max(limit, 0) { entries[ages.removeFirst()] = nil }
    }
}
