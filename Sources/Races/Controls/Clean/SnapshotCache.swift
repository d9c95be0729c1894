import Foundation

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
