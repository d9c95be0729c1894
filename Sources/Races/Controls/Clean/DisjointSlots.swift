import Dispatch

/// Slots that blocks fill at the same time; each block has its own slot.
final class DisjointSlots: @unchecked Sendable {
    // Iteration `n` writes only slot `n`, and the slots are read after all iterations.
    private let slots: UnsafeMutablePointer<Int>
    private let count: Int

    private init(count: Int) {
        self.count = count
        slots = .allocate(capacity: count)
        slots.initialize(repeating: 0, count: count)
    }

    deinit {
        slots.deallocate()
    }

    static let control = RaceControl(
        .clean, "concurrent-perform", summary: "each iteration of `concurrentPerform` fills its own slot"
    ) {
        let table = DisjointSlots(count: ContendingThreads.totalOperationCount)
        DispatchQueue.concurrentPerform(iterations: table.count) { index in
            var jitter = Jitter(client: index)
            table.slots[index] = index
            jitter.pause(rounds: 64)
        }
        return (0..<table.count).allSatisfy { table.slots[$0] == $0 }
    }
}
