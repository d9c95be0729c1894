import Locks

/// Runs an operation from four tasks at once, in a way that hides no race.
///
/// Tasks that run one after the other on one thread of the pool are ordered, so the first two wait for each other. On
/// a machine with one core the pool has one thread, and no race between tasks can happen or be seen.
enum ContendingTasks {
    /// How many tasks there are.
    static let count = 4
    /// How many operations each task runs.
    static let operationCount = 2000
    /// How many operations all tasks run together.
    static let totalOperationCount = count * operationCount
    /// The sum of the operation numbers of one task.
    static let indexSum = operationCount * (operationCount - 1) / 2

    /// Runs the operation `operationCount` times in each task, and returns when all have ended.
    ///
    /// - Parameter operation: receives the number of the task and that of the operation, both from zero.
    static func run(_ operation: @escaping @Sendable (_ task: Int, _ index: Int) async -> Void) async {
        // If the pool has one thread, no second task arrives.
        let meeting = Meeting(of: 2, patience: .milliseconds(200))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    meeting.wait()
                    var jitter = Jitter(client: number)
                    for index in 0..<operationCount {
                        await operation(number, index)
                        jitter.pause(rounds: 1024)
                    }
                }
            }
        }
    }
}
