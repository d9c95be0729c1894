import Dispatch

/// Writes run together with reads, because the barrier is missing.
final class MissingBarrierCache: @unchecked Sendable {
    // Broken on purpose: the block that writes `value` lacks `.barrier`, so the queue runs it together with others.
    private let queue = DispatchQueue(label: "missing-barrier", attributes: .concurrent)
    private var value = 0

    private func read() -> Int { queue.sync { value } }

    private func increment() {
        queue.sync { value = value + 1 }
    }

    static let control = RaceControl(
        .racy, "missing-barrier", summary: "a concurrent queue runs a write without a barrier"
    ) {
        let cache = MissingBarrierCache()
        await ContendingThreads.run { thread, index in
            if (thread + index).isMultiple(of: 2) { cache.increment() } else { _ = cache.read() }
        }
        // This runs after every block that was submitted before.
        return cache.queue.sync(flags: .barrier) { cache.value } == ContendingThreads.totalOperationCount / 2
    }
}
