package import CacheStrategies
import Dispatch
package import Foundation
import Locks
import StrategyTestSupport

/// A cache behind dispatch queues, with one ordering fault or none.
///
/// Writes are barriers on a concurrent queue, and the writer does not wait for them; lookups run on the queue.
package final class QueueOrderCache<Key: Hashable & Sendable, Value: CacheableValue, Planted: PlantedOrderFault>:
    LoadsUnshared, @unchecked Sendable
{
    // Unchecked, because `pending` is mutable; `bookkeeping` guards it. Entries have their own lock, so that blocks
    // that run in parallel are not a data race.
    private let queue = DispatchQueue(label: "entries", attributes: .concurrent)
    private let first = DispatchQueue(label: "first")
    private let second = DispatchQueue(label: "second")
    private let group = DispatchGroup()
    private let permits = DispatchSemaphore(value: Planted.has(.twoPermits) ? 2 : 1)
    private let entries = Locked<[Key: Value]>([:])
    private let bookkeeping = NSLock()
    private var pending: DispatchWorkItem?
    private var loading = 0

    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: Planted.fault?.rawValue ?? "sound-queues", summary: Planted.fault?.summary ?? "writes are barriers",
            role: .control, promises: Promises(limit: .none), worksInBackground: true)
    }

    package init(configuration: StrategyConfiguration) {}

    package func value(forKey key: Key) -> Value? {
        if Planted.has(.readPastQueue) { return entries.withLock { $0[key] } }
        if Planted.has(.groupEnteredLate) {
            group.wait()
            return entries.withLock { $0[key] }
        }
        let value = queue.sync { entries.withLock { $0[key] } }
        if let value {
            touch(value, key)
            if Planted.has(.queuesCrossed) { first.sync { second.sync {} } }
        }
        return value
    }

    package func insert(_ value: Value, forKey key: Key, cost: Int) {
        write { [entries] in entries.withLock { $0[key] = value } }
    }

    package func removeValue(forKey key: Key) {
        if Planted.has(.queuesCrossed) { second.sync { first.sync {} } }
        write { [entries] in entries.withLock { $0[key] = nil } }
    }

    package func removeAll() {
        write { [entries] in entries.withLock { $0.removeAll() } }
    }

    package func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
        first.sync { loading += 1 }
        defer { leave() }
        if let value = value(forKey: key) { return Loaded(value, .hit) }
        let value = try Value(encoded: fetch())
        insert(value, forKey: key, cost: value.cost)
        return Loaded(value, .loaded)
    }

    package func statistics() -> CacheStatistics {
        queue.sync(flags: .barrier) { CacheStatistics() }
    }

    /// Ends a load. The fault calls the queue from the queue while other loads are in flight.
    private func leave() {
        first.sync {
            loading -= 1
            if Planted.has(.queueReentered), loading > 0 { first.sync {} }
        }
    }

    /// A hit moves its entry to the front: no other block may use the entry meanwhile.
    private func touch(_ value: Value, _ key: Key) {
        guard Planted.has(.twoPermits) else {
            permits.wait()
            permits.signal()
            return
        }
        permits.wait()
        defer { permits.signal() }
        let isThere = entries.withLock { $0[key] != nil }
        if isThere { entries.withLock { $0[key] = value } }
    }

    private func write(_ body: @escaping @Sendable () -> Void) {
        switch Planted.fault {
        case .missingBarrier: queue.async(execute: body)
        case .groupEnteredLate:
            queue.async(flags: .barrier) { [group] in
                group.enter()
                body()
                group.leave()
            }
        case .cancelledWrite:
            let item = DispatchWorkItem(flags: .barrier, block: body)
            bookkeeping.withLock {
                pending?.cancel()
                pending = item
                queue.async(execute: item)
            }
        case .twoPermits:
            permits.wait()
            body()
            permits.signal()
        default: queue.async(flags: .barrier, execute: body)
        }
    }
}
