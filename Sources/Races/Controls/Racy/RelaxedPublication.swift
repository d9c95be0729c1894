import Synchronization

/// Publishes a value with a flag that orders nothing.
final class RelaxedPublication: @unchecked Sendable {
    // Broken on purpose: the flag is stored and loaded relaxed, so a reader may see the flag without the write to
    // `value`.
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
        // Every thread publishes its own values and reads its neighbour's, so even threads that run one after the other
        // read published values.
        let count = ContendingThreads.count
        let values = (0..<ContendingThreads.totalOperationCount / 40).map { _ in RelaxedPublication() }
        await ContendingThreads.run { thread, index in
            values[index / 40 * count + thread].publish(index / 40)
            _ = values[index / 40 * count + (thread + 1) % count].read()
        }
        return values.enumerated().allSatisfy { $1.read() == $0 / count }
    }
}
