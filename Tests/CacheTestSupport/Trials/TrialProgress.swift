import Foundation

/// The progress of a trial's callers. One of them can wait a little until others have made progress.
package final class TrialProgress: @unchecked Sendable {
    // Sound although unchecked: all state is accessed only while the condition's lock is held.
    private let condition = NSCondition()
    private var completed = 0
    private var waiting = 0
    private var hasStopped = false

    package init() {}

    /// Operations that have returned.
    package var count: Int { condition.withLock { completed } }

    /// Whether callers must send no more operations.
    package var isOver: Bool { condition.withLock { hasStopped } }

    /// Notes an operation that has returned.
    package func complete() {
        condition.withLock {
            completed += 1
            if waiting > 0 { condition.broadcast() }
        }
    }

    /// Tells the callers to end.
    package func stop() { condition.withLock { hasStopped = true } }

    /// Blocks until others have completed some operations. The wait is short: they may be waiting for this caller.
    package func letOthersComplete(_ operations: Int) {
        let deadline = Date(timeIntervalSinceNow: 0.001)
        condition.withLock {
            let goal = completed + operations
            waiting += 1
            while completed < goal, condition.wait(until: deadline) {}
            waiting -= 1
        }
    }

    /// The same for a task, which yields instead.
    package func letOtherTasksComplete(_ operations: Int) async {
        let goal = count + operations
        for _ in 0..<32 where count < goal { await Task.yield() }
    }
}

/// A place in a strategy, outside of its locks, where another caller may be scheduled.
///
/// The sound strategies of the zoo have such places too: a correct strategy is correct for every schedule.
package struct SwitchPoint: Sendable {
    /// The hook of strategies that are opened now; it does nothing outside a trial.
    @TaskLocal package static var current = SwitchPoint(nil)

    private let progress: TrialProgress?

    package init(_ progress: TrialProgress?) { self.progress = progress }

    /// Gives other callers a turn, one time in four.
    package func pass() {
        guard let progress, progress.count.isMultiple(of: 4) else { return }
        progress.letOthersComplete(2)
    }
}
