import Foundation
import Platform

/// Notices that work takes no step any more. It looks from a thread of its own, so that it also notices work that blocks all
/// threads of the pool.
///
/// Time alone shows nothing, because a busy machine is late with everything. A look counts in full only if the work could
/// have taken a step: since the last look tasks of all priorities had a turn, or no thread of the process can run. Otherwise
/// a look counts a tenth.
package final class WorkWatch: Sendable {
    private struct State {
        var isOver = false
        /// The priorities whose last task has not had its turn. Each has threads of its own in the pool.
        var waiting: Set<UInt8> = []
    }

    private let state = Locked(State())
    private static let looks = 20
    private static let priorities: Set<UInt8> = Set([TaskPriority.high, .medium, .utility].map(\.rawValue))

    /// Begins to watch work of the caller's priority.
    ///
    /// - Parameters:
    ///   - time: how long the work may take no step.
    ///   - steps: a number that changes with each step; `nil` while nothing has to go on.
    ///   - onTurn: called by tasks on threads of the pool, which are then known to be free.
    ///   - onStop: called on the watch's thread, with whether the pool took up no task either; the watch goes on if it returns
    ///     false.
    package init(
        _ time: Duration, steps: @escaping @Sendable () -> UInt64?, onTurn: @escaping @Sendable () -> Void = {},
        onStop: @escaping @Sendable (_ isPoolBlocked: Bool) -> Bool
    ) {
        let interval = max(time / Self.looks / .seconds(1), 0.001)
        let priority = Task.currentPriority.rawValue
        let thread = Thread { [self] in
            var (last, still, looksWithoutTurn) = (steps(), 0, 0)
            while !isOver {
                Thread.sleep(forTimeInterval: interval)
                let now = steps()
                let waiting = turnsNotTaken(onTurn)
                let isWaiting = Self.priorities.contains(priority) ? waiting.contains(priority) : !waiting.isEmpty
                looksWithoutTurn = isWaiting ? looksWithoutTurn + 1 : 0
                let couldGoOn = waiting.isEmpty || allThreadsWait()
                still = now != nil && now == last ? still + (couldGoOn ? 10 : 1) : 0
                last = now
                guard still >= 10 * Self.looks else { continue }
                guard !isOver, !onStop(looksWithoutTurn > Self.looks / 2) else { return }
                still = 0
            }
        }
        thread.name = "work watch"
        thread.start()
    }

    /// The work has ended.
    package func end() { state.withLock { $0.isOver = true } }

    private var isOver: Bool { state.withLock { $0.isOver } }

    /// The priorities whose tasks had no turn since the last call; the others get a new task that waits for its turn.
    private func turnsNotTaken(_ onTurn: @escaping @Sendable () -> Void) -> Set<UInt8> {
        let waiting = state.withLock { state in
            defer { state.waiting = Self.priorities }
            return state.waiting
        }
        for priority in Self.priorities.subtracting(waiting) {
            Task.detached(priority: TaskPriority(rawValue: priority)) { [self] in
                onTurn()
                state.withLock { _ = $0.waiting.remove(priority) }
            }
        }
        return waiting
    }
}
