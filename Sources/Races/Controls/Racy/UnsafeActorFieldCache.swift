/// An actor with a field that is read from outside.
actor UnsafeActorFieldCache {
    // Broken on purpose: the actor writes the field, and `writeCount` reads it without coming in.
    nonisolated(unsafe) private var writes = 0

    private nonisolated var writeCount: Int { writes }

    private func insert() { writes = writes + 1 }

    static let control = RaceControl(
        .racy, "unsafe-actor-field", summary: "a `nonisolated(unsafe)` field of an actor is read from outside"
    ) {
        let cache = UnsafeActorFieldCache()
        await ContendingTasks.run { _, index in
            // Mostly reads: a task that comes in is ordered after all that were in before.
            if index.isMultiple(of: 8) { await cache.insert() } else { _ = cache.writeCount }
        }
        return cache.writeCount == ContendingTasks.totalOperationCount / 8
    }
}
