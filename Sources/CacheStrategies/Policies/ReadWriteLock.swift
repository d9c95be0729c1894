#if canImport(Glibc)
    public import Glibc
#elseif canImport(Musl)
    public import Musl
#elseif canImport(Darwin)
    public import Darwin
#endif

/// A pthread read-write lock: any number of readers, or one writer. It is not recursive, and a reader can't become a
/// writer without letting go.
@usableFromInline
struct ReadWriteLock: @unchecked Sendable {
    // Sound although unchecked: the memory is the lock's own, which is made to be used from several threads.
    // On the heap, because a lock must not move.
    @usableFromInline
    let handle: UnsafeMutablePointer<pthread_rwlock_t>

    /// An open lock; ``destroy()`` must follow, once.
    @inlinable
    init() {
        handle = .allocate(capacity: 1)
        handle.initialize(to: pthread_rwlock_t())
        var attributes = pthread_rwlockattr_t()
        pthread_rwlockattr_init(&attributes)
        #if canImport(Glibc)
            // The default lets readers pass a waiting writer, so that busy readers keep it out for ever.
            pthread_rwlockattr_setkind_np(&attributes, Int32(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP))
        #endif
        let status = pthread_rwlock_init(handle, &attributes)
        pthread_rwlockattr_destroy(&attributes)
        precondition(status == 0, "pthread_rwlock_init failed with error \(status)")
    }

    /// Gives the memory back. Nobody may hold the lock or use it afterwards.
    @inlinable
    func destroy() {
        pthread_rwlock_destroy(handle)
        handle.deallocate()
    }

    /// Waits until no writer holds the lock, and shares it with other readers.
    @inlinable
    @inline(__always)
    func lockForReading() { pthread_rwlock_rdlock(handle) }

    /// Waits until nobody holds the lock, and takes it alone.
    @inlinable
    @inline(__always)
    func lockForWriting() { pthread_rwlock_wrlock(handle) }

    /// Lets go. Only the thread that took it may call this.
    @inlinable
    @inline(__always)
    func unlock() { pthread_rwlock_unlock(handle) }
}
