import Dispatch
import Foundation
import Platform
import Synchronization

// Programs with a data race, each for another way to miss it.

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

/// An actor with a field that is read from outside.
actor UnsafeActorFieldCache {
    // Broken on purpose: the actor writes the field, and `writeCount` reads it from outside the actor's isolation.
    nonisolated(unsafe) private var writes = 0

    private nonisolated var writeCount: Int { writes }

    private func insert() { writes = writes + 1 }

    static let control = RaceControl(
        .racy, "unsafe-actor-field", summary: "a `nonisolated(unsafe)` field of an actor is read from outside"
    ) {
        let cache = UnsafeActorFieldCache()
        await ContendingTasks.run { _, index in
            // Most operations are reads: a call into the actor is ordered after all earlier calls into it.
            if index.isMultiple(of: 8) { await cache.insert() } else { _ = cache.writeCount }
        }
        return cache.writeCount == ContendingTasks.totalOperationCount / 8
    }
}

/// Publishes a value with a flag that orders nothing.
final class RelaxedPublication: @unchecked Sendable {
    // Broken on purpose: the flag is stored and loaded relaxed, so a reader may see the flag without the write to
    // `value`.
    private let isReady = Atomic(false)
    private var value = 0

    private func publish(_ new: Int) {
        value = new
        isReady.store(true, ordering: .relaxed)
    }

    private func read() -> Int? {
        isReady.load(ordering: .relaxed) ? value : nil
    }

    static let control = RaceControl(.racy, "relaxed-publication", summary: "a relaxed flag announces a value") {
        // Every thread publishes its own values and reads its neighbour's, so even threads that run one after the other
        // read published values.
        let count = ContendingThreads.count
        let values = (0..<ContendingThreads.totalOperationCount / 40).map { _ in RelaxedPublication() }
        await ContendingThreads.run { thread, index in
            values[index / 40 * count + thread].publish(index / 40)
            _ = values[index / 40 * count + (thread + 1) % count].read()
        }
        return values.enumerated().allSatisfy { $1.read() == $0 / count }
    }
}

/// A cache of any keys and values, which keeps the pair used last in an object.
///
/// If the pair were in two fields, the sanitizer would not see the race: without optimisation, code that is generic in
/// a field's type copies the field by a function of the Swift runtime, which is not built with the sanitizer (Swift
/// 6.3, Linux). A reference is copied in place, for any type of its object.
final class LastUsedNodeCache<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    // Broken on purpose: `value` reads `last` before it takes the lock under which other threads set it.
    private final class Node: Sendable {
        let key: Key
        let value: Value

        init(_ key: Key, _ value: Value) { (self.key, self.value) = (key, value) }
    }

    private let lock = NSLock()
    private var entries: [Key: Value] = [:]
    private var last: Node?

    func value(forKey key: Key) -> Value? {
        if let last, last.key == key { return last.value }
        return lock.withLock {
            guard let value = entries[key] else { return nil }
            last = Node(key, value)
            return value
        }
    }

    func insert(_ value: Value, forKey key: Key) { lock.withLock { entries[key] = value } }
}

enum LastUsedNode {
    static let control = RaceControl(
        .racy, "last-used-node", summary: "the entry used last is read before the lock is taken, in generic code"
    ) {
        let cache = LastUsedNodeCache<Int, Int>()
        for key in 0..<4 { cache.insert(key, forKey: key) }
        await ContendingThreads.run { thread, index in _ = cache.value(forKey: (thread + index) % 4) }
        return true
    }
}
