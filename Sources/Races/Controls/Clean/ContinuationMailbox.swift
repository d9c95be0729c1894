/// A value that is written before the waiting task is resumed.
///
/// The continuation is resumed only when its task has suspended. Resuming it earlier is correct as well, but then the
/// runtime continues without telling the sanitizer (Swift 6.3), and the write before it would look like a race.
actor ContinuationMailbox {
    // `value` is written outside the actor before the continuation is resumed, and read after it.
    nonisolated(unsafe) private var value = 0
    private var waiting: CheckedContinuation<Void, Never>?

    private func receive() async -> Int {
        await withCheckedContinuation { waiting = $0 }
        return value
    }

    /// The continuation, if `receive` has suspended: the actor runs nothing else before that.
    private func takeWaiting() -> CheckedContinuation<Void, Never>? {
        defer { waiting = nil }
        return waiting
    }

    private nonisolated func send(_ new: Int) async {
        while true {
            if let continuation = await takeWaiting() {
                value = new
                continuation.resume()
                return
            }
            await Task.yield()
        }
    }

    static let control = RaceControl(
        .clean, "continuation", summary: "a checked continuation is resumed after the value was written"
    ) {
        let sums = SumPerClient(count: ContendingTasks.count)
        await ContendingTasks.run { task, index in
            let mailbox = ContinuationMailbox()
            async let received = mailbox.receive()
            await mailbox.send(index)
            sums.add(await received, client: task)
        }
        return sums.total == ContendingTasks.count * ContendingTasks.indexSum
    }
}
