import Dispatch

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
