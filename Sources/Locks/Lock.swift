#if canImport(Glibc)
    public import Glibc
#elseif canImport(Musl)
    public import Musl
#elseif canImport(Darwin)
    public import Darwin
#endif

/// A mutual exclusion lock of the platform's own.
///
/// A pthread mutex and not `Synchronization.Mutex`, because Thread Sanitizer sees the former and reports races in
/// correct code that uses the latter. Not `NSLock` either, whose calls go through Foundation and can't be inlined.
///
/// It is not recursive: locking twice from one thread hangs.
@usableFromInline
package struct Lock {
    /// On the heap, because a mutex must not move.
    @usableFromInline
    let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// An open lock; ``destroy()`` must follow, once.
    @inlinable
    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        let status = pthread_mutex_init(mutex, nil)
        precondition(status == 0, "pthread_mutex_init failed with error \(status)")
    }

    /// Gives the memory back. Nobody may hold the lock or use it afterwards.
    @inlinable
    package func destroy() {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Waits until no other thread holds the lock, and takes it.
    @inlinable
    @inline(__always)
    package func lock() { pthread_mutex_lock(mutex) }

    /// Opens the lock. Only the thread that took it may call this.
    @inlinable
    @inline(__always)
    package func unlock() { pthread_mutex_unlock(mutex) }
}

/// A state that is reached only while a lock is held.
///
/// ```swift
/// let hits = Locked([String: Int]())
/// hits.withLock { $0["a", default: 0] += 1 }
/// ```
@usableFromInline
package final class Locked<State>: @unchecked Sendable {
    // Sound although unchecked: the state is reached only through `withLock`, which runs one closure at a time, and
    // what a closure gives or takes is `sending`.
    @usableFromInline
    let guardian: Lock
    // A pointer and not a stored property, which would be checked for exclusive access on every use.
    @usableFromInline
    let state: UnsafeMutablePointer<State>

    /// A lock around a state that nobody else holds.
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

    /// Runs `body` with the state, alone. Costs about 10 ns when nobody else holds the lock.
    ///
    /// `body` must be short, and must not call back into what uses this lock.
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
