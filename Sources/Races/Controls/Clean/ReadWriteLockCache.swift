import Platform

/// A table with shared reads under the read lock, and exclusive writes under the write lock.
final class ReadWriteLockCache: @unchecked Sendable {
    // `table` is read while `lock` is held for reading or writing, and written only while it is held for writing.
    private let lock: UnsafeMutablePointer<pthread_rwlock_t>
    private var table: [Int: Int] = [:]

    private init() {
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_rwlock_t())
        pthread_rwlock_init(lock, nil)
    }

    deinit {
        pthread_rwlock_destroy(lock)
        lock.deallocate()
    }

    private func value(forKey key: Int) -> Int {
        pthread_rwlock_rdlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        return table[key] ?? 0
    }

    private func increment(_ key: Int) {
        pthread_rwlock_wrlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        table[key, default: 0] += 1
    }

    static let control = RaceControl(
        .clean, "read-write-lock", summary: "a read-write lock: shared by reads, exclusive for writes"
    ) {
        let cache = ReadWriteLockCache()
        await ContendingThreads.run { _, index in
            if index.isMultiple(of: 4) { cache.increment(1) } else { _ = cache.value(forKey: 1) }
        }
        return cache.value(forKey: 1) == ContendingThreads.totalOperationCount / 4
    }
}
