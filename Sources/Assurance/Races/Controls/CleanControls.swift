import Dispatch
import Foundation
import Platform
import Synchronization

// Programs without a data race, each for another way to report one where none is.

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
