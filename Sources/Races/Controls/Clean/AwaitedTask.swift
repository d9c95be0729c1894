/// An object that an unstructured task fills, and that is read after the task was awaited.
final class AwaitedTask: @unchecked Sendable {
    // `value` is written by the task, and read after its end was awaited.
    private var value = 0

    private func fill(_ new: Int) async -> Int {
        await Task { value = new }.value
        return value
    }

    static let control = RaceControl(
        .clean, "awaited-task", summary: "an unstructured task is awaited before its work is read"
    ) {
        let sums = SumPerClient(count: ContendingTasks.count)
        await ContendingTasks.run { task, index in sums.add(await AwaitedTask().fill(index), client: task) }
        return sums.total == ContendingTasks.count * ContendingTasks.indexSum
    }
}
