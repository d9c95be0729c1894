import Foundation

/// The value is locked, the count of its readers isn't.
final class UnlockedStatisticsCache: @unchecked Sendable {
    // Broken on purpose: `hitCount` changes after the lock was released.
    private let lock = NSLock()
    private var value = 1
    private var hitCount = 0

    private func read() -> Int {
        let found = lock.withLock { value }
        hitCount = hitCount + 1
        return found
    }

    static let control = RaceControl(
        .racy, "unlocked-statistics", summary: "a hit is counted after the lock was released"
    ) {
        let cache = UnlockedStatisticsCache()
        await ContendingThreads.run { _, _ in _ = cache.read() }
        return cache.hitCount == ContendingThreads.totalOperationCount
    }
}
