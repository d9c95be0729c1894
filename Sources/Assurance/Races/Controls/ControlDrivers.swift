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

/// Short pauses of seeded lengths, so that threads do not run in lockstep.
///
/// It spins and doesn't sleep: a sleeping thread gives up its core and no longer overlaps with the others. It uses
/// nothing shared, because an atomic or a lock between two operations would order the threads and hide the race.
struct Jitter: Equatable {
    private var state: UInt64

    /// - Parameter client: the number of the thread or task; each has its own sequence of pauses, the same in every
    ///   run.
    init(client: Int) {
        state = 0x9E37_79B9_7F4A_7C15 &* UInt64(truncatingIfNeeded: client &+ 1)
    }

    /// Spins for fewer than `rounds` steps of a generator; `rounds` is a power of two.
    mutating func pause(rounds: UInt64) {
        // It runs on a local variable and without calls: the sanitizer records every call and memory access in a short
        // history of the thread, and can't report a race whose first access is no longer in it.
        var local = state
        // The state determines the number of steps, and the steps change the state, so no optimiser can remove them.
        var remaining = (local & (rounds &- 1)) &+ 1
        while remaining > 0 {
            // Marsaglia's xorshift.
            local = local ^ (local &<< 13)
            local = local ^ (local &>> 7)
            local = local ^ (local &<< 17)
            remaining = remaining &- 1
        }
        state = local
    }
}

/// A sum for each thread or task; only that thread or task uses it.
final class SumPerClient: @unchecked Sendable {
    // Client `n` accesses only element `n`; `total` is read when the clients have ended.
    private let sums: UnsafeMutablePointer<Int>
    private let count: Int

    /// Zero for each of `count` clients.
    init(count: Int) {
        self.count = count
        sums = .allocate(capacity: count)
        sums.initialize(repeating: 0, count: count)
    }

    deinit {
        sums.deallocate()
    }

    /// Adds to the sum of the calling client.
    func add(_ value: Int, client: Int) {
        sums[client] += value
    }

    /// The sum of all, after they have ended; O(n) in the number of clients.
    var total: Int {
        (0..<count).reduce(0) { $0 + sums[$1] }
    }
}
