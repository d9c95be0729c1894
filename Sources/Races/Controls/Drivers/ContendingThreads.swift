import Dispatch
import Foundation
import Locks

/// Runs an operation from four threads of its own at once, in a way that hides no race.
///
/// Dedicated threads and not a pool's, which may run all the work on one thread. They start together and share nothing
/// afterwards; between two operations each pauses for a moment of its own.
enum ContendingThreads {
    /// How many threads there are.
    static let count = 4
    /// How many operations each thread does.
    static let operationCount = 2000
    /// How many operations all threads do together.
    static let totalOperationCount = count * operationCount
    /// The sum of the numbers of the operations of one thread.
    static let indexSum = operationCount * (operationCount - 1) / 2

    /// Does the operation `operationCount` times on each thread, and returns when all have ended.
    ///
    /// - Parameter operation: gets the number of the thread and that of the operation, both from zero.
    static func run(_ operation: @escaping @Sendable (_ thread: Int, _ index: Int) -> Void) async {
        let line = StartLine(runners: count)
        let group = DispatchGroup()
        for number in 0..<count {
            group.enter()
            let thread = Thread {
                line.wait()
                var jitter = Jitter(client: number)
                for index in 0..<operationCount {
                    operation(number, index)
                    jitter.pause(rounds: 1024)
                }
                group.leave()
            }
            thread.name = "control \(number)"
            thread.start()
        }
        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume() }
        }
        join(group)
    }

    /// Waits for a group that is empty by now. A continuation that is resumed before its task has suspended orders the
    /// task after the resumer without telling the sanitizer, which would accuse whoever reads what the threads wrote.
    private static func join(_ group: DispatchGroup) {
        group.wait()
    }
}
