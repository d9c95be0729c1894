import Foundation

/// A table whose methods call themselves while they hold the lock.
final class RecursiveLockCache: @unchecked Sendable {
    // `table` is accessed only while `lock` is held; its holder may lock it again any number of times.
    private let lock = NSRecursiveLock()
    private var table: [Int: Int] = [:]

    private func value(forKey key: Int) -> Int { lock.withLock { table[key] ?? 0 } }

    private func increment(_ key: Int) {
        lock.withLock { table[key] = value(forKey: key) + 1 }
    }

    static let control = RaceControl(
        .clean, "recursive-lock", summary: "an `NSRecursiveLock` is taken again by its holder"
    ) {
        let cache = RecursiveLockCache()
        await ContendingThreads.run { _, _ in cache.increment(1) }
        return cache.value(forKey: 1) == ContendingThreads.totalOperationCount
    }
}
