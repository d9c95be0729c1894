import Foundation

/// How far the callers of a trial are. Lets one of them wait a little until others have gone on.
package final class TrialProgress: @unchecked Sendable {
    // Sound although unchecked: everything is touched only while the condition's lock is held.
    private let condition = NSCondition()
    private var completed = 0
    private var waiting = 0
    private var hasStopped = false

    package init() {}

    /// Operations that have returned.
    package var count: Int { condition.withLock { completed } }

    /// Whether callers are to send nothing more.
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

    /// Blocks until others have completed some operations. Not for long: they may be waiting for the caller.
    package func letOthersComplete(_ operations: Int) {
        let deadline = Date(timeIntervalSinceNow: 0.001)
        condition.withLock {
            let goal = completed + operations
            waiting += 1
            while completed < goal, condition.wait(until: deadline) {}
            waiting -= 1
        }
    }

    /// The same for a task, which gives way instead.
    package func letOtherTasksComplete(_ operations: Int) async {
        let goal = count + operations
        for _ in 0..<32 where count < goal { await Task.yield() }
    }
}

/// A place in a strategy, outside of its locks, where another caller may come in between.
///
/// The sound strategies of the zoo have such places too: what is right must be right whoever comes in.
package struct SwitchPoint: Sendable {
    /// What strategies that are opened now have at their places; nothing outside a trial.
    @TaskLocal package static var current = SwitchPoint(nil)

    private let progress: TrialProgress?

    package init(_ progress: TrialProgress?) { self.progress = progress }

    /// Lets others come in, one time in four.
    package func pass() {
        guard let progress, progress.count.isMultiple(of: 4) else { return }
        progress.letOthersComplete(2)
    }
}
