import Synchronization

/// Runs an operation from four tasks at once, in a way that hides no race.
///
/// Tasks that run one after the other on one thread of the pool are ordered, so the first two wait for each other. On
/// a machine with one core the pool has one thread, and no race between tasks can happen or be seen.
enum ContendingTasks {
    /// How many tasks there are.
    static let count = 4
    /// How many operations each task does.
    static let operationCount = 2000
    /// How many operations all tasks do together.
    static let totalOperationCount = count * operationCount
    /// The sum of the numbers of the operations of one task.
    static let indexSum = operationCount * (operationCount - 1) / 2

    /// Does the operation `operationCount` times in each task, and returns when all have ended.
    ///
    /// - Parameter operation: gets the number of the task and that of the operation, both from zero.
    static func run(_ operation: @escaping @Sendable (_ task: Int, _ index: Int) async -> Void) async {
        let meeting = Meeting()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    meeting.waitForAnother()
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

/// Holds the first task until a second runs too.
private final class Meeting: Sendable {
    private let arrived = Atomic(0)

    /// Spins until two tasks are here, but no longer than 200 ms: where the pool has one thread, nobody else comes.
    func waitForAnother() {
        arrived.wrappingAdd(1, ordering: .relaxed)
        let deadline = ContinuousClock.now + .milliseconds(200)
        while arrived.load(ordering: .relaxed) < 2, ContinuousClock.now < deadline {}
    }
}
