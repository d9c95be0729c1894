package import CacheStrategies
package import Foundation
import Synchronization

/// A cache behind two Mutexes, one for its entries and one for the order of their use, with one fault or none.
package final class MutexOrderCache<Key: Hashable & Sendable, Value: CacheableValue, Planted: PlantedAtomicFault>:
    SynchronousCacheStrategy
{
    private struct Table {
        var entries: [Key: Value] = [:]
        /// How many writes, removals and clears there were.
        var changes = 0
    }

    private let table = Mutex(Table())
    private let order = Mutex<[Key]>([])

    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: Planted.fault?.rawValue ?? "sound-mutexes", summary: Planted.fault?.summary ?? "two Mutexes",
            role: .control, promises: Promises(limit: .none, keepsNewerWrites: true), usesAtomics: true)
    }

    package init(configuration: StrategyConfiguration) {}

    package func value(forKey key: Key) -> Value? {
        guard let value = table.withLock({ $0.entries[key] }) else { return nil }
        // The entry may have been removed by now; this brings it back.
        if Planted.has(.mutexSplit) { table.withLock { $0.entries[key] = value } }
        touch(key)
        return value
    }

    package func insert(_ value: Value, forKey key: Key, cost: Int) {
        table.withLock { table in
            table.entries[key] = value
            table.changes += 1
            if Planted.has(.mutexesCrossed) { touch(key) }
        }
        if !Planted.has(.mutexesCrossed) { touch(key) }
    }

    package func removeValue(forKey key: Key) {
        if Planted.has(.mutexesCrossed) {
            order.withLock { order in
                order.removeAll { $0 == key }
                remove(key)
            }
        } else {
            remove(key)
            order.withLock { $0.removeAll { $0 == key } }
        }
    }

    package func removeAll() {
        table.withLock { table in
            table.entries.removeAll()
            table.changes += 1
        }
        order.withLock { $0.removeAll() }
    }

    package func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        let changes = table.withLock { $0.changes }
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        let value = try Value(encoded: fetch())
        if Planted.has(.mutexCheckThenInsert) {
            let isCurrent = table.withLock { $0.changes == changes }
            if isCurrent { table.withLock { $0.entries[key] = value } }
        } else {
            table.withLock { if $0.changes == changes { $0.entries[key] = value } }
        }
        return Loaded(value, .loaded)
    }

    package func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadUnshared(key, fetch: fetch)
    }

    private func touch(_ key: Key) {
        order.withLock { order in
            order.removeAll { $0 == key }
            order.append(key)
        }
    }

    private func remove(_ key: Key) {
        table.withLock { table in
            table.entries[key] = nil
            table.changes += 1
        }
    }
}
