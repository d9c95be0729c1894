import Foundation
import Locks
import Measurement

/// The threads of the shared pool that runs tasks.
enum PoolThreads {
    /// How long a thread waits for the others: a thread that a strategy blocks never arrives.
    private static let patience = Duration.milliseconds(500)

    /// Adds what each thread of the pool has allocated to the memory figures. One task runs on each thread, and holds
    /// it until all have arrived.
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
