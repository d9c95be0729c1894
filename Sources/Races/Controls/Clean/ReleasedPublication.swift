import Synchronization

/// Publishes a value with a flag that is stored with release ordering and loaded with acquire ordering.
final class ReleasedPublication: @unchecked Sendable {
    // One thread writes `value` before the releasing store, and a thread reads it only after it saw that store.
    private let isReady = Atomic(false)
    private var value = 0

    private func publish(_ new: Int) {
        value = new
        isReady.store(true, ordering: .releasing)
    }

    private func read() -> Int? {
        isReady.load(ordering: .acquiring) ? value : nil
    }

    static let control = RaceControl(
        .clean, "released-publication", summary: "a flag announces a value: stored releasing, loaded acquiring"
    ) {
        let count = ContendingThreads.count
        let values = (0..<ContendingThreads.totalOperationCount).map { _ in ReleasedPublication() }
        await ContendingThreads.run { thread, index in
            values[index * count + thread].publish(index)
            _ = values[index * count + (thread + 1) % count].read()
        }
        return values.enumerated().allSatisfy { $1.read() == $0 / count }
    }
}
