import Foundation
import Locks
import Measurement

/// The threads of the pool that carries tasks.
enum PoolThreads {
    /// How long a thread waits for the others: one that a strategy blocks never comes.
    private static let patience = Duration.milliseconds(500)

    /// Adds what each thread of the pool has allocated to the figures of memory: one task a thread, and each holds its
    /// thread until all are there.
    static func settle() async {
        let count = ProcessInfo.processInfo.activeProcessorCount
        let meeting = Meeting(of: count, patience: patience)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask { @concurrent in
                    meeting.wait()
                    MemoryMeter.settleThread()
                }
            }
        }
    }
}
