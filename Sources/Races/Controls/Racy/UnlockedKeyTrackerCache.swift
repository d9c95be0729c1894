import Foundation

/// A table that is locked, and a tracker of its keys that is not.
final class UnlockedKeyTrackerCache: @unchecked Sendable {
    // Broken on purpose: `tracker` changes outside the lock that guards `table`.
    private struct KeyTracker {
        var newest = 0
        var insertionCount = 0
    }

    private let lock = NSLock()
    private var table: [Int: Int] = [:]
    private var tracker = KeyTracker()

    private func insert(_ value: Int, forKey key: Int) {
        lock.withLock { table[key] = value }
        tracker = KeyTracker(newest: key, insertionCount: tracker.insertionCount + 1)
    }

    static let control = RaceControl(
        .racy, "unlocked-key-tracker", summary: "the table is locked, the tracker of its keys is not"
    ) {
        let cache = UnlockedKeyTrackerCache()
        await ContendingThreads.run { thread, index in cache.insert(thread, forKey: index % 16) }
        return cache.tracker.insertionCount == ContendingThreads.totalOperationCount
    }
}
