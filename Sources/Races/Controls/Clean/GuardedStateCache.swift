import Locks

/// A table that can only be accessed through its lock.
final class GuardedStateCache: Sendable {
    private let table = Locked([Int: Int]())

    private func increment(_ key: Int) {
        table.withLock { $0[key, default: 0] += 1 }
    }

    static let control = RaceControl(
        .clean, "guarded-state", summary: "a `Locked` state, accessible only under its lock"
    ) {
        let cache = GuardedStateCache()
        await ContendingThreads.run { _, index in cache.increment(index % 8) }
        return cache.table.withLock { $0.values.reduce(0, +) } == ContendingThreads.totalOperationCount
    }
}
