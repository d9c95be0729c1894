import Dispatch
import Foundation
import Locks

/// Runs an operation from four dedicated threads at once, in a way that hides no race.
///
/// A pool's threads are not used, because a pool may run all the work on one thread. The threads start together and
/// share nothing afterwards; between two operations each pauses for a random moment.
enum ContendingThreads {
    /// How many threads there are.
    static let count = 4
    /// How many operations each thread runs.
    static let operationCount = 2000
    /// How many operations all threads run together.
    static let totalOperationCount = count * operationCount
    /// The sum of the operation numbers of one thread.
    static let indexSum = operationCount * (operationCount - 1) / 2

    /// Runs the operation `operationCount` times on each thread, and returns when all have ended.
    ///
    /// - Parameter operation: receives the number of the thread and that of the operation, both from zero.
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
    /// task after the resumer without telling the sanitizer. It would then report a race for any reader of what the
    /// threads wrote.
    private static func join(_ group: DispatchGroup) {
        group.wait()
    }
}
