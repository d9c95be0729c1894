/// An object for each task of a group, read when the group has ended.
final class TaskGroupSums: @unchecked Sendable {
    // Each task has its own object, and the parent reads it after the group.
    private var sum = 0

    static let control = RaceControl(
        .clean, "task-group",
        summary: "each task of a group writes an object of its own, the parent reads all at the end"
    ) {
        let sums = (0..<ContendingTasks.count).map { _ in TaskGroupSums() }
        await ContendingTasks.run { task, index in sums[task].sum += index }
        return sums.allSatisfy { $0.sum == ContendingTasks.indexSum }
    }
}
