import CacheStrategies
import Foundation

/// A ring of entries with a hand that moves round: an entry used since the hand last passed gets a second chance, the
/// others are evicted. A hit sets a flag and moves nothing.
///
/// It has one bug, a typical one; `fast-cache-trials check` finds it.
final class FastCache<Key: Hashable & Sendable, Value: CacheableValue>: SynchronousCacheStrategy, @unchecked Sendable {
    // Sound although unchecked: all mutable state is accessed only while the lock is held.
    private let lock = NSLock()
    private var ring: Ring<Key, Value>
    private var loads: [Key: LoadInFlight] = [:]

    /// The loads of one key in flight, and how often the key was changed since the first of them began.
    private struct LoadInFlight {
        var count = 0
        var changes = 0
    }

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "fast-cache", summary: "a ring with second chances behind one lock", bounds: [.entries, .cost],
            promises: Promises(keepsNewerWrites: true))
    }

    init(configuration: StrategyConfiguration) {
        ring = Ring(
            entryLimit: max(configuration.entryLimit ?? .max, 0), costLimit: max(configuration.costLimit ?? .max, 0))
    }

    func value(forKey key: Key) -> Value? {
        lock.withLock { ring.value(forKey: key) }
    }

    func insert(_ value: Value, forKey key: Key, cost: Int) {
        lock.withLock {
            loads[key]?.changes += 1
            ring.insert(value, forKey: key, cost: max(cost, 0))
        }
    }

    func removeValue(forKey key: Key) {
        lock.withLock { ring.removeValue(forKey: key) }
    }

    func removeAll() {
        lock.withLock {
            for key in loads.keys { loads[key]?.changes += 1 }
            ring.removeAll()
        }
    }

    func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        let changes = beginLoad(of: key)
        var fetched: Value?
        defer { endLoad(of: key, since: changes, fetched) }
        let value = try Value(encoded: await fetch())
        fetched = value
        return Loaded(value, .loaded)
    }

    func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        let changes = beginLoad(of: key)
        var fetched: Value?
        defer { endLoad(of: key, since: changes, fetched) }
        let value = try Value(encoded: fetch())
        fetched = value
        return Loaded(value, .loaded)
    }

    /// Notes that a load begins, and returns how often the key was changed so far.
    private func beginLoad(of key: Key) -> Int {
        lock.withLock {
            loads[key, default: LoadInFlight()].count += 1
            return loads[key]?.changes ?? 0
        }
    }

    /// Inserts the fetched value, unless the key was changed since the load began.
    private func endLoad(of key: Key, since changes: Int, _ fetched: Value?) {
        lock.withLock {
            guard var load = loads[key] else { return }
            load.count -= 1
            loads[key] = load.count == 0 ? nil : load
            guard let fetched, load.changes == changes else { return }
            ring.insert(fetched, forKey: key, cost: max(fetched.cost, 0))
        }
    }

    func statistics() -> CacheStatistics {
        lock.withLock {
            CacheStatistics(
                entryCount: ring.count, totalCost: ring.totalCost, evictions: ring.evictions,
                loadsInFlight: loads.values.reduce(0) { $0 + $1.count })
        }
    }
}
