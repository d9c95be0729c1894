import Foundation
import Synchronization

/// How far the callers of a trial are. Lets one of them wait a little until others have gone on.
package final class TrialProgress: Sendable {
    private let completed = Atomic<Int>(0)
    private let hasStopped = Atomic<Bool>(false)

    package init() {}

    /// Operations that have returned.
    package var count: Int { completed.load(ordering: .relaxed) }

    /// Whether callers are to send nothing more.
    package var isOver: Bool { hasStopped.load(ordering: .relaxed) }

    /// Notes an operation that has returned.
    package func complete() { completed.add(1, ordering: .relaxed) }

    /// Tells the callers to end.
    package func stop() { hasStopped.store(true, ordering: .relaxed) }

    /// Gives way until others have completed some operations, or can't.
    package func letOthersComplete(_ operations: Int) {
        let goal = count + operations
        for _ in 0..<32 {
            if count >= goal { return }
            sched_yield()
        }
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

    /// Lets others come in.
    package func pass() { progress?.letOthersComplete(2) }
}
