package import CacheStrategies
import Dispatch
import Foundation
import StrategyTestSupport

/// A cache that collects changes and applies them every second, by work that submits itself again; with one ordering
/// fault or none.
package final class FlushOrderCache<Key: Hashable & Sendable, Value: CacheableValue, Planted: PlantedOrderFault>:
    LoadsUnshared, @unchecked Sendable
{
    /// A change that is not applied yet: a value, or `nil` for a removal.
    private struct Change {
        var value: Value?
    }

    // Unchecked, because all of it is mutable; `lock` guards it.
    private let lock = NSLock()
    private let queue = DispatchQueue(label: "flushes")
    private var entries: [Key: Value] = [:]
    private var changes: [Key: Change] = [:]
    private var isClosed = false

    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: Planted.fault?.rawValue ?? "sound-flushes",
            summary: Planted.fault?.summary ?? "applies changes later",
            role: .control, promises: Promises(limit: .none), worksInBackground: true)
    }

    package init(configuration: StrategyConfiguration) { flushLater() }

    package func value(forKey key: Key) -> Value? {
        lock.withLock { (changes[key] ?? Change(value: entries[key])).value }
    }

    package func insert(_ value: Value, forKey key: Key, cost: Int) {
        lock.withLock { changes[key] = Change(value: value) }
        guard Planted.has(.olderWriteFlushed) else { return }
        queue.asyncAfter(deadline: .now() + 1) { [self] in apply([key: Change(value: value)]) }
    }

    package func removeValue(forKey key: Key) { lock.withLock { changes[key] = Change() } }

    package func removeAll() {
        lock.withLock {
            entries.removeAll()
            changes.removeAll()
        }
    }

    package func close() { lock.withLock { isClosed = true } }

    private func flushLater() {
        queue.asyncAfter(deadline: .now() + 1) { [self] in
            if lock.withLock({ isClosed }) { return }
            flush()
            flushLater()
        }
    }

    private func flush() {
        switch Planted.fault {
        case .flushInTwoSections:
            let batch = lock.withLock { changes }
            apply(batch)
        case .flushForgetsNewer:
            let batch = lock.withLock { changes }
            lock.withLock { for (key, change) in batch { entries[key] = change.value } }
            lock.withLock { changes.removeAll() }
        default:
            lock.withLock {
                for (key, change) in changes { entries[key] = change.value }
                changes.removeAll()
            }
        }
    }

    private func apply(_ batch: [Key: Change]) {
        lock.withLock {
            for (key, change) in batch { (entries[key], changes[key]) = (change.value, nil) }
        }
    }
}
