/// A class that the tasks of a group share without synchronisation.
final class SharedByTasksCache: @unchecked Sendable {
    // Broken on purpose: nothing guards `writeCount`; a task group orders its end after its tasks, but not the tasks
    // themselves.
    private var writeCount = 0

    private func insert() { writeCount = writeCount + 1 }

    static let control = RaceControl(
        .racy, "shared-by-tasks", summary: "the tasks of a group change one unguarded object"
    ) {
        let cache = SharedByTasksCache()
        await ContendingTasks.run { _, _ in cache.insert() }
        return cache.writeCount == ContendingTasks.totalOperationCount
    }
}
