import Platform

/// A lookup that moves an entry to the front while it holds the read lock.
final class WriteUnderReadLockCache: @unchecked Sendable {
    // Broken on purpose: `read` changes `clock`, while other readers hold the same read lock.
    private let lock: UnsafeMutablePointer<pthread_rwlock_t>
    private var clock = 0

    private init() {
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_rwlock_t())
        pthread_rwlock_init(lock, nil)
    }

    deinit {
        pthread_rwlock_destroy(lock)
        lock.deallocate()
    }

    private func read() {
        pthread_rwlock_rdlock(lock)
        clock = clock + 1
        pthread_rwlock_unlock(lock)
    }

    static let control = RaceControl(
        .racy, "write-under-read-lock", summary: "a lookup changes the order of use under a read lock"
    ) {
        let cache = WriteUnderReadLockCache()
        await ContendingThreads.run { _, _ in cache.read() }
        return cache.clock == ContendingThreads.totalOperationCount
    }
}
