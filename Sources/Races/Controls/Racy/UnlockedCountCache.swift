import Foundation

/// Locks everything except the property that seems too small to need it.
final class UnlockedCountCache: @unchecked Sendable {
    // Broken on purpose: `count` reads `entryCount` without the lock.
    private let lock = NSLock()
    private var table: [Int: Int] = [:]
    private var entryCount = 0

    private var count: Int { entryCount }

    private func insert(_ value: Int, forKey key: Int) {
        lock.withLock {
            if table.updateValue(value, forKey: key) == nil { entryCount = entryCount + 1 }
        }
    }

    private func removeValue(forKey key: Int) {
        lock.withLock {
            if table.removeValue(forKey: key) != nil { entryCount = entryCount - 1 }
        }
    }

    static let control = RaceControl(.racy, "unlocked-count", summary: "`count` is read without the lock") {
        let cache = UnlockedCountCache()
        await ContendingThreads.run { thread, index in
            if thread > 0 {
                _ = cache.count
            } else if index.isMultiple(of: 2) {
                cache.insert(index, forKey: 1)
            } else {
                cache.removeValue(forKey: 1)
            }
        }
        return cache.count == 0
    }
}
