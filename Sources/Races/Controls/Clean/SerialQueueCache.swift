import Dispatch

/// A table that is read and written by one block at a time.
final class SerialQueueCache: @unchecked Sendable {
    // `table` is accessed only in blocks of a serial queue.
    private let queue = DispatchQueue(label: "serial-queue")
    private var table: [Int: Int] = [:]

    private func value(forKey key: Int) -> Int? { queue.sync { table[key] } }

    private func increment(_ key: Int) {
        queue.async { self.table[key, default: 0] += 1 }
    }

    static let control = RaceControl(.clean, "serial-queue", summary: "a serial queue runs every access") {
        let cache = SerialQueueCache()
        await ContendingThreads.run { thread, index in
            if index.isMultiple(of: 4) { cache.increment(thread) } else { _ = cache.value(forKey: thread) }
        }
        let sum = cache.queue.sync { cache.table.values.reduce(0, +) }
        return sum == ContendingThreads.totalOperationCount / 4
    }
}
