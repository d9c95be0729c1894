import Foundation

/// A shortcut for the key that was used last: the pair that the lock guards is copied, and the copy is read without the
/// lock.
final class LastUsedPairCache: @unchecked Sendable {
    // Broken on purpose: `value` reads `last` before it takes the lock under which other threads set it.
    private let lock = NSLock()
    private var entries: [Int: [Int]] = [:]
    private var last: (key: Int, value: [Int])?

    private func value(forKey key: Int) -> [Int]? {
        if let last, last.key == key { return last.value }
        return lock.withLock {
            guard let value = entries[key] else { return nil }
            last = (key, value)
            return value
        }
    }

    private func insert(_ value: [Int], forKey key: Int) { lock.withLock { entries[key] = value } }

    static let control = RaceControl(
        .racy, "last-used-pair", summary: "the key and value used last are read before the lock is taken"
    ) {
        let cache = LastUsedPairCache()
        for key in 0..<4 { cache.insert([key], forKey: key) }
        await ContendingThreads.run { thread, index in _ = cache.value(forKey: (thread + index) % 4) }
        return true
    }
}
