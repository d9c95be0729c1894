import Locks

/// A task that waits until it is cancelled, and then reads what the cancellation's handler wrote.
final class CancelledWaiter: Sendable {
    private struct State {
        var waiting: CheckedContinuation<Void, Never>?
        var isCancelled = false
        var note = 0
    }

    private let state = Locked(State())
    private let key: Int

    private init(key: Int) {
        self.key = key
    }

    /// Waits for the cancellation; returns what its handler wrote.
    private func wait() async -> Int {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if !state.isCancelled { state.waiting = continuation }
                    return state.isCancelled
                }
                if isCancelled { continuation.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.isCancelled = true
                state.note = key
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume()
        }
        return state.withLock { $0.note }
    }

    static let control = RaceControl(
        .clean, "cancellation-handler", summary: "a cancellation handler writes before it resumes the waiter"
    ) {
        let sums = SumPerClient(count: ContendingTasks.count)
        await ContendingTasks.run { task, index in
            let waiter = CancelledWaiter(key: index)
            let waiting = Task { await waiter.wait() }
            waiting.cancel()
            sums.add(await waiting.value, client: task)
        }
        return sums.total == ContendingTasks.count * ContendingTasks.indexSum
    }
}
