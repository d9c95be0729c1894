import Foundation

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
