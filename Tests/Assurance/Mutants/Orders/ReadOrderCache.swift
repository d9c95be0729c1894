package import CacheStrategies
import Foundation
import Locks
import Platform
import StrategyTestSupport

/// A cache behind a read-write lock, with one ordering fault or none.
package final class ReadOrderCache<Key: Hashable & Sendable, Value: CacheableValue, Planted: PlantedOrderFault>:
    LoadsUnshared, @unchecked Sendable
{
    // Unchecked for the pointer, which never changes. Entries have their own lock, so that readers that change them
    // are not a data race.
    private let lock: UnsafeMutablePointer<pthread_rwlock_t>
    private let entries = Locked<[Key: Value]>([:])

    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: Planted.fault?.rawValue ?? "sound-readers", summary: Planted.fault?.summary ?? "writers run alone",
            role: .control, promises: Promises(limit: .none))
    }

    package init(configuration: StrategyConfiguration) {
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_rwlock_t())
        var attributes = pthread_rwlockattr_t()
        pthread_rwlockattr_init(&attributes)
        preferWriters(&attributes)
        pthread_rwlock_init(lock, &attributes)
    }

    deinit {
        pthread_rwlock_destroy(lock)
        lock.deallocate()
    }

    package func value(forKey key: Key) -> Value? {
        pthread_rwlock_rdlock(lock)
        if Planted.has(.writeUnderReadLock) {
            defer { pthread_rwlock_unlock(lock) }
            // Moves the entry to the end of the order of use: takes it out, and puts it back.
            guard let value = entries.withLock({ $0.removeValue(forKey: key) }) else { return nil }
            entries.withLock { $0[key] = value }
            return value
        }
        if Planted.has(.readLockTwice) {
            pthread_rwlock_rdlock(lock)
            pthread_rwlock_unlock(lock)
        }
        let value = entries.withLock { $0[key] }
        pthread_rwlock_unlock(lock)
        if Planted.has(.upgradeWithoutRecheck), let value {
            writing { entries.withLock { $0[key] = value } }
        }
        return value
    }

    package func insert(_ value: Value, forKey key: Key, cost: Int) {
        writing { entries.withLock { $0[key] = value } }
        if Planted.has(.copyInTwoSections) {
            // As during the growth of a table.
            pthread_rwlock_rdlock(lock)
            let copy = entries.withLock { $0 }
            pthread_rwlock_unlock(lock)
            writing { entries.withLock { $0 = copy } }
        }
    }

    package func removeValue(forKey key: Key) {
        writing { entries.withLock { $0[key] = nil } }
    }

    package func removeAll() {
        writing { entries.withLock { $0.removeAll() } }
    }

    private func writing(_ body: () -> Void) {
        pthread_rwlock_wrlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        body()
    }
}
