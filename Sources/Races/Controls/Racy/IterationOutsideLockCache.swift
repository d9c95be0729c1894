import Foundation

/// Returns its list under the lock; the caller walks the list afterwards.
final class IterationOutsideLockCache: @unchecked Sendable {
    // Broken on purpose: `first` is read under the lock, but the entries behind it are read after the lock was
    // released.
    private final class Entry {
        var value = 0
        let next: Entry?

        init(next: Entry?) {
            self.next = next
        }
    }

    private let lock = NSLock()
    private let first: Entry

    private init() {
        first = Entry(next: Entry(next: Entry(next: nil)))
    }

    private func insert(_ value: Int) {
        lock.withLock { first.value = value }
    }

    private func sum() -> Int {
        var entry: Entry? = lock.withLock { first }
        var sum = 0
        while let current = entry {
            sum &+= current.value
            entry = current.next
        }
        return sum
    }

    static let control = RaceControl(
        .racy, "iteration-outside-lock", summary: "a list is fetched under the lock and walked after it"
    ) {
        let cache = IterationOutsideLockCache()
        await ContendingThreads.run { thread, index in
            if thread.isMultiple(of: 2) { cache.insert(index) } else { _ = cache.sum() }
        }
        return cache.sum() == ContendingThreads.operationCount - 1
    }
}
