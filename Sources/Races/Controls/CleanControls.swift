import Dispatch
import Foundation
import Platform
import Synchronization

// Programs without a data race: one for each way of Swift to synchronise, and one (`SnapshotCache`) that the sanitizer
// reports in optimised builds, which is why only debug builds judge.

/// A table whose every access holds one `NSLock`.
final class LockedCache: @unchecked Sendable {
    // `table` and `hitCount` are accessed only while `lock` is held.
    private let lock = NSLock()
    private var table: [Int: Int] = [:]
    private var hitCount = 0

    private func read(_ key: Int) {
        lock.withLock {
            if table[key] != nil { hitCount += 1 }
        }
    }

    private func increment(_ key: Int) {
        lock.withLock { table[key, default: 0] += 1 }
    }

    static let control = RaceControl(.clean, "locked", summary: "one `NSLock` guards every access") {
        let cache = LockedCache()
        await ContendingThreads.run { thread, _ in
            cache.increment(thread)
            cache.read(thread)
        }
        return cache.lock.withLock {
            cache.hitCount == ContendingThreads.totalOperationCount
                && cache.table.values.reduce(0, +) == ContendingThreads.totalOperationCount
        }
    }
}

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

/// A mailbox for one letter: the sender waits until it is empty, the receiver until it is full.
final class ConditionMailbox: @unchecked Sendable {
    // `letter` is accessed only while `condition` is held; only one thread at a time has a letter.
    private final class Letter: @unchecked Sendable {
        var value = 0
    }

    private let condition = NSCondition()
    private var letter: Letter?

    private func send(_ value: Int) {
        let sent = Letter()
        sent.value = value
        condition.lock()
        defer { condition.unlock() }
        while letter != nil { condition.wait() }
        letter = sent
        condition.broadcast()
    }

    private func receive() -> Int {
        condition.lock()
        while letter == nil { condition.wait() }
        let received = letter
        letter = nil
        condition.broadcast()
        condition.unlock()
        return received?.value ?? 0
    }

    static let control = RaceControl(
        .clean, "condition", summary: "an `NSCondition` passes each value to a waiting thread"
    ) {
        let mailbox = ConditionMailbox()
        let sums = SumPerClient(count: ContendingThreads.count)
        await ContendingThreads.run { thread, index in
            if thread.isMultiple(of: 2) { mailbox.send(index) } else { sums.add(mailbox.receive(), client: thread) }
        }
        return sums.total == 2 * ContendingThreads.indexSum
    }
}

/// A place for one value between two threads: one semaphore signals that it is free, another that it is taken.
final class SemaphoreMailbox: @unchecked Sendable {
    // `value` belongs to the sender between `free.wait` and `taken.signal`, and to the receiver between `taken.wait`
    // and `free.signal`.
    private let free = DispatchSemaphore(value: 1)
    private let taken = DispatchSemaphore(value: 0)
    private var value = 0

    private func send(_ sent: Int) {
        free.wait()
        value = sent
        taken.signal()
    }

    private func receive() -> Int {
        taken.wait()
        defer { free.signal() }
        return value
    }

    static let control = RaceControl(
        .clean, "semaphore", summary: "two `DispatchSemaphore`s pass a plain value back and forth"
    ) {
        // Threads 0 and 1 are a pair, and so are 2 and 3.
        let mailboxes = [SemaphoreMailbox(), SemaphoreMailbox()]
        let sums = SumPerClient(count: ContendingThreads.count)
        await ContendingThreads.run { thread, index in
            let mailbox = mailboxes[thread / 2]
            if thread.isMultiple(of: 2) { mailbox.send(index) } else { sums.add(mailbox.receive(), client: thread) }
        }
        return sums.total == 2 * ContendingThreads.indexSum
    }
}

/// A table with concurrent reads and exclusive writes.
final class QueueBarrierCache: @unchecked Sendable {
    // `table` is read in blocks of the queue and written in barrier blocks only, which run alone.
    private let queue = DispatchQueue(label: "queue-barrier", attributes: .concurrent)
    private var table: [Int: Int] = [:]

    private func value(forKey key: Int) -> Int? { queue.sync { table[key] } }

    private func increment(_ key: Int) {
        queue.async(flags: .barrier) { self.table[key, default: 0] += 1 }
    }

    static let control = RaceControl(
        .clean, "queue-barrier", summary: "a concurrent queue runs reads together and writes behind a barrier"
    ) {
        let cache = QueueBarrierCache()
        await ContendingThreads.run { thread, index in
            if index.isMultiple(of: 4) { cache.increment(thread) } else { _ = cache.value(forKey: thread) }
        }
        // This runs after every barrier that was submitted before.
        let sum = cache.queue.sync(flags: .barrier) { cache.table.values.reduce(0, +) }
        return sum == ContendingThreads.totalOperationCount / 4
    }
}

/// A value that one block writes, and another reads once the first block's group is empty.
final class DispatchGroupJoin: @unchecked Sendable {
    // `value` is written by a block of the group, and read after the group was waited for.
    private var value = 0

    private func fill(_ new: Int) -> Int {
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) { self.value = new }
        group.wait()
        return value
    }

    static let control = RaceControl(.clean, "dispatch-group", summary: "a `DispatchGroup` joins the block that writes")
    {
        let sums = SumPerClient(count: ContendingThreads.count)
        await ContendingThreads.run { thread, index in
            sums.add(DispatchGroupJoin().fill(index), client: thread)
        }
        return sums.total == ContendingThreads.indexSum * ContendingThreads.count
    }
}

/// A table isolated by an actor.
actor ActorCache {
    private var table: [Int: Int] = [:]

    private func increment(_ key: Int) {
        table[key, default: 0] += 1
    }

    private var sum: Int { table.values.reduce(0, +) }

    static let control = RaceControl(.clean, "actor", summary: "an actor keeps the table") {
        let cache = ActorCache()
        await ContendingTasks.run { _, index in await cache.increment(index % 8) }
        return await cache.sum == ContendingTasks.totalOperationCount
    }
}

/// An object for each task of a group, read when the group has ended.
final class TaskGroupSums: @unchecked Sendable {
    // Each task has its own object, and the parent reads it after the group.
    private var sum = 0

    static let control = RaceControl(
        .clean, "task-group",
        summary: "each task of a group writes an object of its own, the parent reads all at the end"
    ) {
        let sums = (0..<ContendingTasks.count).map { _ in TaskGroupSums() }
        await ContendingTasks.run { task, index in sums[task].sum += index }
        return sums.allSatisfy { $0.sum == ContendingTasks.indexSum }
    }
}

/// A value that is written before the waiting task is resumed.
///
/// The continuation is resumed only when its task has suspended. Resuming it earlier is correct as well, but then the
/// runtime continues without telling the sanitizer (Swift 6.3), and the write before it would look like a race.
actor ContinuationMailbox {
    // `value` is written outside the actor before the continuation is resumed, and read after it.
    nonisolated(unsafe) private var value = 0
    private var waiting: CheckedContinuation<Void, Never>?

    private func receive() async -> Int {
        await withCheckedContinuation { waiting = $0 }
        return value
    }

    /// The continuation, if `receive` has suspended: the actor runs nothing else before that.
    private func takeWaiting() -> CheckedContinuation<Void, Never>? {
        defer { waiting = nil }
        return waiting
    }

    private nonisolated func send(_ new: Int) async {
        while true {
            if let continuation = await takeWaiting() {
                value = new
                continuation.resume()
                return
            }
            await Task.yield()
        }
    }

    static let control = RaceControl(
        .clean, "continuation", summary: "a checked continuation is resumed after the value was written"
    ) {
        let sums = SumPerClient(count: ContendingTasks.count)
        await ContendingTasks.run { task, index in
            let mailbox = ContinuationMailbox()
            async let received = mailbox.receive()
            await mailbox.send(index)
            sums.add(await received, client: task)
        }
        return sums.total == ContendingTasks.count * ContendingTasks.indexSum
    }
}

/// Publishes a value with a flag that is stored with release ordering and loaded with acquire ordering.
final class ReleasedPublication: @unchecked Sendable {
    // One thread writes `value` before the releasing store, and a thread reads it only after it saw that store.
    private let isReady = Atomic(false)
    private var value = 0

    private func publish(_ new: Int) {
        value = new
        isReady.store(true, ordering: .releasing)
    }

    private func read() -> Int? {
        isReady.load(ordering: .acquiring) ? value : nil
    }

    static let control = RaceControl(
        .clean, "released-publication", summary: "a flag announces a value: stored releasing, loaded acquiring"
    ) {
        let count = ContendingThreads.count
        let values = (0..<ContendingThreads.totalOperationCount).map { _ in ReleasedPublication() }
        await ContendingThreads.run { thread, index in
            values[index * count + thread].publish(index)
            _ = values[index * count + (thread + 1) % count].read()
        }
        return values.enumerated().allSatisfy { $1.read() == $0 / count }
    }
}

/// Readers take the newest snapshot under the lock and read it afterwards: it never changes.
final class SnapshotCache: @unchecked Sendable {
    // `snapshot` is accessed only while `lock` is held, and the object it points to is immutable.
    private final class Snapshot: Sendable {
        let values: [Int]

        init(values: [Int]) {
            self.values = values
        }
    }

    private let lock = NSLock()
    private var snapshot = Snapshot(values: [0, 0])

    /// The two values of one snapshot; they are equal.
    private func newest() -> [Int] {
        lock.withLock { snapshot }.values
    }

    private func publish(_ value: Int) {
        let next = Snapshot(values: [value, value])
        lock.withLock { snapshot = next }
    }

    static let control = RaceControl(
        .clean, "snapshot", summary: "an immutable snapshot is replaced under a lock and read outside it"
    ) {
        let cache = SnapshotCache()
        let torn = SumPerClient(count: ContendingThreads.count)
        await ContendingThreads.run { thread, index in
            if index.isMultiple(of: 8) { cache.publish(index) }
            let values = cache.newest()
            torn.add(values[0] == values[1] ? 0 : 1, client: thread)
        }
        return torn.total == 0
    }
}

/// A table that the first of many readers makes.
enum StaticTable {
    // The language initialises it once, and makes every other reader wait until that is done.
    private static let squares = (0..<50).map { $0 * $0 }

    static let control = RaceControl(.clean, "static-let", summary: "many threads are the first to read a `static let`")
    {
        let sums = SumPerClient(count: ContendingThreads.count)
        await ContendingThreads.run { thread, index in sums.add(squares[index % 50], client: thread) }
        // The sum is 40 times that of the squares from 0 to 49 on each thread.
        return sums.total == ContendingThreads.count * 40 * 40_425
    }
}
