import Foundation

/// Lends its bytes under the lock, and the borrower keeps using them.
final class EscapedPointerCache: @unchecked Sendable {
    // Broken on purpose: the pointer leaves the closure of `withWords`, and is used after the lock was released.
    private let lock = NSLock()
    private let words: UnsafeMutablePointer<Int>

    private init() {
        words = .allocate(capacity: 8)
        words.initialize(repeating: 0, count: 8)
    }

    deinit {
        words.deallocate()
    }

    private func withWords<Result>(_ body: (UnsafeMutablePointer<Int>) -> Result) -> Result {
        lock.withLock { body(words) }
    }

    static let control = RaceControl(.racy, "escaped-pointer", summary: "a pointer is used after its lock was released")
    {
        let cache = EscapedPointerCache()
        await ContendingThreads.run { _, index in
            let escaped = cache.withWords { $0 }
            escaped[index % 8] = escaped[index % 8] + 1
        }
        let sum = cache.withWords { words in (0..<8).reduce(0) { $0 + words[$1] } }
        return sum == ContendingThreads.totalOperationCount
    }
}
