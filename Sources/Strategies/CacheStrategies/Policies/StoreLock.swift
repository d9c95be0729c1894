public import Foundation
public import Platform
public import Synchronization

/// How callers of a store wait for each other.
@usableFromInline
package protocol StoreLock: Sendable {
    /// What comes before a policy's name in a strategy's.
    static var prefix: String { get }
    /// What a strategy's summary says of it.
    static var summary: String { get }
    /// Whether an exploration of schedules can't switch threads at it.
    static var usesAtomics: Bool { get }
    /// How much memory it needs beside the store.
    static var byteCount: Int { get }
    /// Whether callers of ``together(_:)`` don't wait for each other.
    static var sharesReads: Bool { get }

    /// Makes an open lock, in memory that is 128 bytes apart from everything else; ``destroy()`` must follow, once.
    static func create(in memory: UnsafeMutableRawPointer)
    /// The lock that was made in this memory.
    init(in memory: UnsafeMutableRawPointer)
    /// Ends it. No thread may hold it or use it afterwards.
    func destroy()

    /// Runs `body` when no other thread holds the lock.
    func alone<Answer>(_ body: () -> Answer) -> Answer
    /// Runs `body`, which only reads, when no other thread holds the lock alone.
    func together<Answer>(_ body: () -> Answer) -> Answer
}

extension StoreLock {
    @usableFromInline
    package static var usesAtomics: Bool { false }

    @inlinable
    package static var sharesReads: Bool { false }

    @inlinable
    @inline(__always)
    package func together<Answer>(_ body: () -> Answer) -> Answer { alone(body) }
}

/// A lock that one call takes, and another call of the same thread releases.
@usableFromInline
package protocol HeldLock: StoreLock {
    func lock()
    func unlock()
}

extension HeldLock {
    @inlinable
    @inline(__always)
    package func alone<Answer>(_ body: () -> Answer) -> Answer {
        lock()
        defer { unlock() }
        return body()
    }
}

/// A pthread mutex, as `Lock` is. There the allocator chooses the address: mutexes allocated one after the other can
/// share a cache line.
@usableFromInline
package struct PthreadMutex: HeldLock, @unchecked Sendable {
    // Sound although unchecked: a mutex is made for several threads.
    @usableFromInline
    let mutex: UnsafeMutablePointer<pthread_mutex_t>

    @usableFromInline
    package static var prefix: String { "" }
    @usableFromInline
    package static var summary: String { "one lock" }

    @inlinable
    package static var byteCount: Int { MemoryLayout<pthread_mutex_t>.size }

    @inlinable
    @inline(__always)
    package init(in memory: UnsafeMutableRawPointer) { mutex = memory.assumingMemoryBound(to: pthread_mutex_t.self) }

    @inlinable
    package static func create(in memory: UnsafeMutableRawPointer) {
        let mutex = memory.initializeMemory(as: pthread_mutex_t.self, to: pthread_mutex_t())
        let status = pthread_mutex_init(mutex, nil)
        precondition(status == 0, "pthread_mutex_init failed with error \(status)")
    }

    @inlinable
    package func destroy() { pthread_mutex_destroy(mutex) }

    @inlinable
    @inline(__always)
    package func lock() { pthread_mutex_lock(mutex) }

    @inlinable
    @inline(__always)
    package func unlock() { pthread_mutex_unlock(mutex) }
}

/// A pthread read-write lock: any number of readers, or one writer. Waiting writers go before later readers if the
/// platform supports it (Glibc). It is not recursive, and a reader can't become a writer without unlocking.
@usableFromInline
package struct ReadWriteLock: HeldLock, @unchecked Sendable {
    // Sound although unchecked: a pthread lock is made for several threads.
    @usableFromInline
    let handle: UnsafeMutablePointer<pthread_rwlock_t>

    @usableFromInline
    package static var prefix: String { "rwlock-" }
    @usableFromInline
    package static var summary: String { "a read-write lock" }

    @inlinable
    package static var byteCount: Int { MemoryLayout<pthread_rwlock_t>.size }

    @inlinable
    package static var sharesReads: Bool { true }

    @inlinable
    @inline(__always)
    package init(in memory: UnsafeMutableRawPointer) { handle = memory.assumingMemoryBound(to: pthread_rwlock_t.self) }

    @inlinable
    package static func create(in memory: UnsafeMutableRawPointer) {
        let handle = memory.initializeMemory(as: pthread_rwlock_t.self, to: pthread_rwlock_t())
        var attributes = pthread_rwlockattr_t()
        pthread_rwlockattr_init(&attributes)
        preferWriters(&attributes)
        let status = pthread_rwlock_init(handle, &attributes)
        pthread_rwlockattr_destroy(&attributes)
        precondition(status == 0, "pthread_rwlock_init failed with error \(status)")
    }

    @inlinable
    package func destroy() { pthread_rwlock_destroy(handle) }

    @inlinable
    @inline(__always)
    package func lock() { pthread_rwlock_wrlock(handle) }

    @inlinable
    @inline(__always)
    package func together<Answer>(_ body: () -> Answer) -> Answer {
        pthread_rwlock_rdlock(handle)
        defer { unlock() }
        return body()
    }

    @inlinable
    @inline(__always)
    package func unlock() { pthread_rwlock_unlock(handle) }
}

/// `Mutex` of the Synchronization module: one word that a thread takes by one atomic operation, and waits for in the
/// kernel after a thousand attempts.
///
/// Thread Sanitizer sees the quick path only, and reports races in correct code (Swift 6.3.1 on Linux), so that nothing
/// else here uses it.
@usableFromInline
package struct SwiftMutex: StoreLock, @unchecked Sendable {
    // Sound although unchecked: a mutex is made for several threads.
    @usableFromInline
    let mutex: UnsafeMutablePointer<Mutex<Void>>

    @usableFromInline
    package static var prefix: String { "mutex-" }
    @usableFromInline
    package static var summary: String { "one Mutex of the Synchronization module" }
    @usableFromInline
    package static var usesAtomics: Bool { true }

    @inlinable
    package static var byteCount: Int { MemoryLayout<Mutex<Void>>.size }

    /// What a thread takes out of its own call.
    @usableFromInline
    struct Own<Answer>: @unchecked Sendable {
        // Sound although unchecked: `withLock` runs its body on the thread that calls it.
        @usableFromInline
        let answer: Answer

        @inlinable
        init(_ answer: Answer) { self.answer = answer }
    }

    @inlinable
    @inline(__always)
    package init(in memory: UnsafeMutableRawPointer) { mutex = memory.assumingMemoryBound(to: Mutex<Void>.self) }

    @inlinable
    package static func create(in memory: UnsafeMutableRawPointer) {
        memory.bindMemory(to: Mutex<Void>.self, capacity: 1).initialize(to: Mutex(()))
    }

    @inlinable
    package func destroy() { mutex.deinitialize(count: 1) }

    @inlinable
    @inline(__always)
    package func alone<Answer>(_ body: () -> Answer) -> Answer { mutex.pointee.withLock { _ in Own(body()) }.answer }
}

/// Foundation's `NSLock`, whose calls can't be inlined.
@usableFromInline
package struct FoundationLock: HeldLock, @unchecked Sendable {
    // Sound although unchecked: a lock is made for several threads, and its reference never changes.
    @usableFromInline
    let object: UnsafeMutablePointer<NSLock>

    @usableFromInline
    package static var prefix: String { "nslock-" }
    @usableFromInline
    package static var summary: String { "one NSLock" }

    @inlinable
    package static var byteCount: Int { MemoryLayout<NSLock>.size }

    @inlinable
    @inline(__always)
    package init(in memory: UnsafeMutableRawPointer) { object = memory.assumingMemoryBound(to: NSLock.self) }

    @inlinable
    package static func create(in memory: UnsafeMutableRawPointer) {
        memory.initializeMemory(as: NSLock.self, to: NSLock())
    }

    @inlinable
    package func destroy() { object.deinitialize(count: 1) }

    @inlinable
    @inline(__always)
    package func lock() { object.pointee.lock() }

    @inlinable
    @inline(__always)
    package func unlock() { object.pointee.unlock() }
}

/// A dispatch semaphore with one permit.
@usableFromInline
package struct SemaphoreLock: HeldLock, @unchecked Sendable {
    // Sound although unchecked: a semaphore is made for several threads, and its reference never changes.
    @usableFromInline
    let object: UnsafeMutablePointer<DispatchSemaphore>

    @usableFromInline
    package static var prefix: String { "semaphore-" }
    @usableFromInline
    package static var summary: String { "one dispatch semaphore" }

    @inlinable
    package static var byteCount: Int { MemoryLayout<DispatchSemaphore>.size }

    @inlinable
    @inline(__always)
    package init(in memory: UnsafeMutableRawPointer) { object = memory.assumingMemoryBound(to: DispatchSemaphore.self) }

    @inlinable
    package static func create(in memory: UnsafeMutableRawPointer) {
        memory.initializeMemory(as: DispatchSemaphore.self, to: DispatchSemaphore(value: 1))
    }

    @inlinable
    package func destroy() { object.deinitialize(count: 1) }

    @inlinable
    @inline(__always)
    package func lock() { object.pointee.wait() }

    @inlinable
    @inline(__always)
    package func unlock() { object.pointee.signal() }
}

/// A serial dispatch queue: each use is a synchronous block, and waits for all blocks before it. A caller that finds the
/// queue empty runs its block on its own thread.
@usableFromInline
package struct SerialQueue: StoreLock, @unchecked Sendable {
    // Sound although unchecked: a queue is made for several threads, and its reference never changes.
    @usableFromInline
    let object: UnsafeMutablePointer<DispatchQueue>

    @usableFromInline
    package static var prefix: String { "queue-" }
    @usableFromInline
    package static var summary: String { "a serial queue, synchronous" }

    @inlinable
    package static var byteCount: Int { MemoryLayout<DispatchQueue>.size }

    @inlinable
    @inline(__always)
    package init(in memory: UnsafeMutableRawPointer) { object = memory.assumingMemoryBound(to: DispatchQueue.self) }

    @inlinable
    package static func create(in memory: UnsafeMutableRawPointer) {
        memory.initializeMemory(as: DispatchQueue.self, to: DispatchQueue(label: "store"))
    }

    @inlinable
    package func destroy() { object.deinitialize(count: 1) }

    @inlinable
    @inline(__always)
    package func alone<Answer>(_ body: () -> Answer) -> Answer {
        object.pointee.sync(execute: body)
    }
}

/// How many shards a cache has, and what guards each of them.
@usableFromInline
package protocol Sharing {
    associatedtype Lock: StoreLock
    /// What comes before a policy's name in a strategy's.
    static var prefix: String { get }
    /// What a strategy's summary says of it.
    static var summary: String { get }
    /// Whether keys are split over shards by their hash.
    static var isSharded: Bool { get }
}

/// One store behind a lock.
@usableFromInline
package enum One<Lock: StoreLock>: Sharing {
    @usableFromInline
    package static var prefix: String { Lock.prefix }
    @usableFromInline
    package static var summary: String { "behind \(Lock.summary)" }
    @inlinable
    package static var isSharded: Bool { false }
}

/// Shards with a lock each.
@usableFromInline
package enum LockOfShard: Sharing {
    @usableFromInline
    package typealias Lock = PthreadMutex
    @usableFromInline
    package static var prefix: String { "sharded-" }
    @usableFromInline
    package static var summary: String { "split by key hash over shards, each behind its own lock" }
    @inlinable
    package static var isSharded: Bool { true }
}
