import Dispatch

/// A place for one value between two threads: one semaphore signals that it is free, another that it is taken.
final class SemaphoreMailbox: @unchecked Sendable {
    // `value` belongs to the sender between `free.wait` and `taken.signal`, and to the receiver between `taken.wait`
    // and `free.signal`.
    private let free = DispatchSemaphore(value: 1)
    private let taken = DispatchSemaphore(value: 0)
    private var value = 0

    private func send(_ sent: Int) {
        free.wait()
        value = sent
        taken.signal()
    }

    private func receive() -> Int {
        taken.wait()
        defer { free.signal() }
        return value
    }

    static let control = RaceControl(
        .clean, "semaphore", summary: "two `DispatchSemaphore`s pass a plain value back and forth"
    ) {
        // Threads 0 and 1 are a pair, and so are 2 and 3.
        let mailboxes = [SemaphoreMailbox(), SemaphoreMailbox()]
        let sums = SumPerClient(count: ContendingThreads.count)
        await ContendingThreads.run { thread, index in
            let mailbox = mailboxes[thread / 2]
            if thread.isMultiple(of: 2) { mailbox.send(index) } else { sums.add(mailbox.receive(), client: thread) }
        }
        return sums.total == 2 * ContendingThreads.indexSum
    }
}
