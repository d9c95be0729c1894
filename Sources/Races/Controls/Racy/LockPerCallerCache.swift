import Foundation

/// One store, and a lock in each of the sessions that use it.
final class LockPerCallerCache: @unchecked Sendable {
    // Broken on purpose: each session has its own lock and all share `store`, so no two sessions exclude each other.
    private final class Store: @unchecked Sendable {
        // The sessions should guard it, and don't.
        var writeCount = 0
    }

    private let lock = NSLock()
    private let store: Store

    private init(store: Store) {
        self.store = store
    }

    private func insert() {
        lock.withLock { store.writeCount = store.writeCount + 1 }
    }

    static let control = RaceControl(.racy, "lock-per-caller", summary: "each caller locks its own lock") {
        let store = Store()
        let sessions = (0..<ContendingThreads.count).map { _ in LockPerCallerCache(store: store) }
        await ContendingThreads.run { thread, _ in sessions[thread].insert() }
        return store.writeCount == ContendingThreads.totalOperationCount
    }
}
