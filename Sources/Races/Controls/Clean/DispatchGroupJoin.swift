import Dispatch

/// A value that one block writes, and another reads once the first block's group is empty.
final class DispatchGroupJoin: @unchecked Sendable {
    // `value` is written by a block of the group, and read after the group was waited for.
    private var value = 0

    private func fill(_ new: Int) -> Int {
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) { self.value = new }
        group.wait()
        return value
    }

    static let control = RaceControl(.clean, "dispatch-group", summary: "a `DispatchGroup` joins the block that writes")
    {
        let sums = SumPerClient(count: ContendingThreads.count)
        await ContendingThreads.run { thread, index in
            sums.add(DispatchGroupJoin().fill(index), client: thread)
        }
        return sums.total == ContendingThreads.indexSum * ContendingThreads.count
    }
}
