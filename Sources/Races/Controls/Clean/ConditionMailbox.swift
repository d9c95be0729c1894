import Foundation

/// A mailbox for one letter: the sender waits until it is empty, the receiver until it is full.
final class ConditionMailbox: @unchecked Sendable {
    // `letter` is accessed only while `condition` is held; only one thread at a time has a letter.
    private final class Letter: @unchecked Sendable {
        var value = 0
    }

    private let condition = NSCondition()
    private var letter: Letter?

    private func send(_ value: Int) {
        let sent = Letter()
        sent.value = value
        condition.lock()
        defer { condition.unlock() }
        while letter != nil { condition.wait() }
        letter = sent
        condition.broadcast()
    }

    private func receive() -> Int {
        condition.lock()
        while letter == nil { condition.wait() }
        let received = letter
        letter = nil
        condition.broadcast()
        condition.unlock()
        return received?.value ?? 0
    }

    static let control = RaceControl(
        .clean, "condition", summary: "an `NSCondition` passes each value to a waiting thread"
    ) {
        let mailbox = ConditionMailbox()
        let sums = SumPerClient(count: ContendingThreads.count)
        await ContendingThreads.run { thread, index in
            if thread.isMultiple(of: 2) { mailbox.send(index) } else { sums.add(mailbox.receive(), client: thread) }
        }
        return sums.total == 2 * ContendingThreads.indexSum
    }
}
