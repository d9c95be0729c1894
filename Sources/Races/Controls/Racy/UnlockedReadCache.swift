import Foundation

/// The writer locks, the reader doesn't.
final class UnlockedReadCache: @unchecked Sendable {
    // Broken on purpose: `read` accesses `value` without the lock that `insert` takes.
    private let lock = NSLock()
    private var value = 0

    private func read() -> Int { value }

    private func insert(_ new: Int) {
        lock.withLock { value = new }
    }

    static let control = RaceControl(.racy, "unlocked-read", summary: "writes take the lock, reads don't") {
        let cache = UnlockedReadCache()
        await ContendingThreads.run { thread, index in
            if thread == 0 { cache.insert(index) } else { _ = cache.read() }
        }
        return cache.read() == ContendingThreads.operationCount - 1
    }
}
