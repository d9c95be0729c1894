import Dispatch
import Foundation

/// Detects the end of a thread by a property of the thread.
final class FinishedPollingWorker: @unchecked Sendable {
    // Broken on purpose: `Thread.isFinished` shows that the thread has ended, but orders none of its writes.
    private var writeCount = 0

    /// Fills the cache on a second thread, polls for its end, and returns what that thread should have written.
    private func fill() -> Int {
        let writer = Thread { [self] in
            var jitter = Jitter(client: 0)
            for _ in 0..<ContendingThreads.operationCount {
                writeCount = writeCount + 1
                jitter.pause(rounds: 1024)
            }
        }
        writer.start()
        while !writer.isFinished { usleep(100) }
        return writeCount
    }

    static let control = RaceControl(
        .racy, "finished-polling", summary: "a thread is joined by polling `Thread.isFinished`"
    ) {
        await withCheckedContinuation { continuation in
            // It has a dedicated thread, because polling would block one of the pool.
            let reader = Thread {
                let written = FinishedPollingWorker().fill()
                continuation.resume(returning: written == ContendingThreads.operationCount)
            }
            reader.start()
        }
    }
}
