/// An actor with a field that is read from outside.
actor UnsafeActorFieldCache {
    // Broken on purpose: the actor writes the field, and `writeCount` reads it from outside the actor's isolation.
    nonisolated(unsafe) private var writes = 0

    private nonisolated var writeCount: Int { writes }

    private func insert() { writes = writes + 1 }

    static let control = RaceControl(
        .racy, "unsafe-actor-field", summary: "a `nonisolated(unsafe)` field of an actor is read from outside"
    ) {
        let cache = UnsafeActorFieldCache()
        await ContendingTasks.run { _, index in
            // Most operations are reads: a call into the actor is ordered after all earlier calls into it.
            if index.isMultiple(of: 8) { await cache.insert() } else { _ = cache.writeCount }
        }
        return cache.writeCount == ContendingTasks.totalOperationCount / 8
    }
}
