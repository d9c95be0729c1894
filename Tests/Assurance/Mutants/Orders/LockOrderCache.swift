package import CacheStrategies
package import Foundation

/// A cache behind locks, as apps write it, with one ordering fault or none.
///
/// Entries are behind one lock, the order of use behind another. A load inserts only if no write happened meanwhile.
package final class LockOrderCache<Key: Hashable & Sendable, Value: CacheableValue, Planted: PlantedOrderFault>:
    SynchronousCacheStrategy, @unchecked Sendable
{
    // Unchecked, because all of it is mutable: `table` guards entries and counts, `recency` the order of use.
    private let table = NSLock()
    private let recency = NSRecursiveLock()
    private let writer = DispatchQueue(label: "writer")
    private var entries: [Key: Value] = [:]
    private var writes: [Key: Int] = [:]
    private var clears = 0
    private var loading = 0
    private var order: [Key] = []

    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: Planted.fault?.rawValue ?? "sound-locks", summary: Planted.fault?.summary ?? "locks in one order",
            role: .control, promises: Promises(limit: .none, keepsNewerWrites: true))
    }

    package init(configuration: StrategyConfiguration) {}

    package func value(forKey key: Key) -> Value? {
        guard let value = table.withLock({ entries[key] }) else { return nil }
        if Planted.has(.evictedBeforeTouch) {
            // The entry may have been removed by now; this brings it back.
            table.withLock { entries[key] = value }
        }
        recency.withLock { touch(key) }
        return value
    }

    package func insert(_ value: Value, forKey key: Key, cost: Int) {
        if Planted.has(.unlockedByAnother) { return insertElsewhere(value, key) }
        table.withLock {
            entries[key] = value
            writes[key, default: 0] += 1
            recency.withLock { touch(key) }
        }
    }

    package func removeValue(forKey key: Key) {
        if Planted.has(.lockOrderReversed) { recency.lock() }
        defer { if Planted.has(.lockOrderReversed) { recency.unlock() } }
        table.withLock {
            entries[key] = nil
            if !Planted.has(.removeMissesLoads) { writes[key, default: 0] += 1 }
            recency.withLock { order.removeAll { $0 == key } }
        }
    }

    package func removeAll() {
        table.withLock {
            if Planted.has(.spinsWithLock) {
                while loading > 0 { sched_yield() }
            }
            entries.removeAll()
            if !Planted.has(.clearMissesLoads) { clears += 1 }
            recency.withLock { order.removeAll() }
        }
    }

    package func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        var epoch = table.withLock { () -> (Int, Int) in
            loading += 1
            return (writes[key, default: 0], clears)
        }
        defer { table.withLock { loading -= 1 } }
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        let value = try Value(encoded: fetch())
        if Planted.has(.epochReadTooLate) { epoch = table.withLock { (writes[key, default: 0], clears) } }
        if Planted.has(.checkThenInsert) {
            let isCurrent = table.withLock { epoch == (writes[key, default: 0], clears) }
            if isCurrent { table.withLock { entries[key] = value } }
        } else {
            table.withLock { if epoch == (writes[key, default: 0], clears) { entries[key] = value } }
        }
        return Loaded(value, .loaded)
    }

    package func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadOnThread(key, fetch: fetch)
    }

    /// Call only while `recency` is held.
    private func touch(_ key: Key) {
        recency.withLock {
            order.removeAll { $0 == key }
            order.append(key)
        }
    }

    private func insertElsewhere(_ value: Value, _ key: Key) {
        let table = table
        table.lock()
        writer.async { [self] in
            entries[key] = value
            writes[key, default: 0] += 1
            table.unlock()
        }
    }
}
