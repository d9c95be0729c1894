public import Platform

/// A pthread read-write lock: any number of readers, or one writer. It is not recursive, and a reader can't become a
/// writer without unlocking.
@usableFromInline
struct ReadWriteLock: @unchecked Sendable {
    // Sound although unchecked: a pthread lock is made for several threads. It is on the heap, because a lock must not
    // move.
    @usableFromInline
    let handle: UnsafeMutablePointer<pthread_rwlock_t>

    /// An open lock; ``destroy()`` must follow, once.
    @inlinable
    init() {
        handle = .allocate(capacity: 1)
        handle.initialize(to: pthread_rwlock_t())
        var attributes = pthread_rwlockattr_t()
        pthread_rwlockattr_init(&attributes)
        preferWriters(&attributes)
        let status = pthread_rwlock_init(handle, &attributes)
        pthread_rwlockattr_destroy(&attributes)
        precondition(status == 0, "pthread_rwlock_init failed with error \(status)")
    }

    /// Frees the memory. No thread may hold the lock or use it afterwards.
    @inlinable
    func destroy() {
        pthread_rwlock_destroy(handle)
        handle.deallocate()
    }

    /// Waits until no writer holds the lock, and shares it with other readers.
    @inlinable
    @inline(__always)
    func lockForReading() { pthread_rwlock_rdlock(handle) }

    /// Waits until no thread holds the lock, and takes it exclusively.
    @inlinable
    @inline(__always)
    func lockForWriting() { pthread_rwlock_wrlock(handle) }

    /// Releases the lock. Only the thread that took it may call this.
    @inlinable
    @inline(__always)
    func unlock() { pthread_rwlock_unlock(handle) }
}
