import Foundation
import Measurement
import Synchronization

/// The threads of the pool that carries tasks.
enum PoolThreads {
    /// How long a thread waits for the others: one that a strategy blocks never comes.
    private static let patience: UInt64 = 500_000_000

    /// Adds what each thread of the pool has allocated to the figures of memory: one task a thread, and each holds its
    /// thread until all are there.
    static func settle() async {
        let count = ProcessInfo.processInfo.activeProcessorCount
        let meeting = Meeting(of: count, until: Nanoclock.now() &+ patience)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask { @concurrent in
                    meeting.wait()
                    MemoryMeter.settleThread()
                }
            }
        }
    }

    /// Threads that wait for each other.
    private final class Meeting: Sendable {
        private let arrived = Atomic(0)
        private let count: Int
        private let deadline: UInt64

        init(of count: Int, until deadline: UInt64) {
            self.count = count
            self.deadline = deadline
        }

        /// Blocks the thread until all are there, or it is too late.
        func wait() {
            arrived.add(1, ordering: .relaxed)
            while arrived.load(ordering: .relaxed) < count, Nanoclock.now() < deadline {
                Thread.sleep(forTimeInterval: 0.000_01)
            }
        }
    }
}
