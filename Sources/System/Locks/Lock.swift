public import Platform

/// A mutual exclusion lock of the platform.
///
/// It is a pthread mutex and not `Synchronization.Mutex`, because Thread Sanitizer sees the former and reports races in
/// correct code that uses the latter. It is not `NSLock` either, whose calls go through Foundation and can't be
/// inlined.
///
/// It is not recursive: locking twice from one thread hangs.
@usableFromInline
package struct Lock: @unchecked Sendable {
    // Sound although unchecked: any thread may use the mutex, whose address never changes.
    /// On the heap, because a mutex must not move.
    @usableFromInline
    let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Makes an unlocked lock; ``destroy()`` must follow, once.
    @inlinable
    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        let status = pthread_mutex_init(mutex, nil)
        precondition(status == 0, "pthread_mutex_init failed with error \(status)")
    }

    /// Frees the memory. No thread may hold the lock or use it afterwards.
    @inlinable
    package func destroy() {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Waits until no other thread holds the lock, and locks it.
    @inlinable
    @inline(__always)
    package func lock() { pthread_mutex_lock(mutex) }

    /// Unlocks it. Only the thread that locked it may call this.
    @inlinable
    @inline(__always)
    package func unlock() { pthread_mutex_unlock(mutex) }

    /// Runs `body` while the lock is held.
    @inlinable
    @inline(__always)
    package func withLock<Answer, Failure: Error>(_ body: () throws(Failure) -> Answer) throws(Failure) -> Answer {
        lock()
        defer { unlock() }
        return try body()
    }
}

/// A state that is accessed only while a lock is held.
///
/// ```swift
/// let hits = Locked([String: Int]())
/// hits.withLock { $0["a", default: 0] += 1 }
/// ```
@usableFromInline
package final class Locked<State>: @unchecked Sendable {
    // Sound although unchecked: the state is accessed only through `withLock`, which runs one closure at a time, and
    // what a closure receives or returns is `sending`.
    @usableFromInline
    let guardian: Lock
    // It is a pointer and not a stored property, which would be checked for exclusive access on every use.
    @usableFromInline
    let state: UnsafeMutablePointer<State>

    /// Puts a lock around a state to which there is no other reference.
    @inlinable
    package init(_ initial: sending State) {
        guardian = Lock()
        state = .allocate(capacity: 1)
        state.initialize(to: initial)
    }

    @inlinable
    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
        guardian.destroy()
    }

    /// Runs `body` with exclusive access to the state. Costs about 10 ns when no other thread holds the lock.
    ///
    /// `body` must be short, and must not call code that uses this lock.
    @inlinable
    @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        guardian.lock()
        defer { guardian.unlock() }
        return try body(&state.pointee)
    }
}
