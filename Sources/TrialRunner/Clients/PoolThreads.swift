import Foundation
import Measurement
import Synchronization

/// The threads of the pool that carries tasks.
enum PoolThreads {
    /// How long a thread waits for the others: one that a strategy blocks never comes.
    private static let patience: UInt64 = 20_000_000

    /// Adds what each thread of the pool has allocated to the figures of memory: one task a thread, and each holds its
    /// thread until all are there.
    static func settle() async {
        let count = ProcessInfo.processInfo.activeProcessorCount
        let arrived = Arrivals()
        let deadline = Nanoclock.now() &+ patience
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask { @concurrent in
                    arrived.count.add(1, ordering: .relaxed)
                    while arrived.count.load(ordering: .relaxed) < count, Nanoclock.now() < deadline {
                        Thread.sleep(forTimeInterval: 0.000_01)
                    }
                    MemoryMeter.settleThread()
                }
            }
        }
    }

    private final class Arrivals: Sendable {
        let count = Atomic(0)
    }
}
