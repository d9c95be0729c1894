import Synchronization

/// Says that a value is ready with a flag that orders nothing.
final class RelaxedPublication: @unchecked Sendable {
    // Broken on purpose: the flag is stored and loaded relaxed, so `value` may be seen without what was written to it.
    private let isReady = Atomic(false)
    private var value = 0

    private func publish(_ new: Int) {
        value = new
        isReady.store(true, ordering: .relaxed)
    }

    private func read() -> Int? {
        isReady.load(ordering: .relaxed) ? value : nil
    }

    static let control = RaceControl(.racy, "relaxed-publication", summary: "a relaxed flag announces a value") {
        // Every thread publishes values of its own and reads those of its neighbour, so that even threads that run
        // one after the other meet published ones.
        let count = ContendingThreads.count
        let values = (0..<ContendingThreads.totalOperationCount / 40).map { _ in RelaxedPublication() }
        await ContendingThreads.run { thread, index in
            values[index / 40 * count + thread].publish(index / 40)
            _ = values[index / 40 * count + (thread + 1) % count].read()
        }
        return values.enumerated().allSatisfy { $1.read() == $0 / count }
    }
}
