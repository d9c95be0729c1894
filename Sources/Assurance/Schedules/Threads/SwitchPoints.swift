import CThreadControl
import TrialModel

/// The kinds of places at which an exploration could continue with another thread or task, as far as the strategy has
/// them.
package struct SwitchPoints: OptionSet, Codable, Hashable, Sendable {
    /// A bit for each of `thread_operation`, and one for tasks.
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Tasks that start, wait, or call an actor.
    package static let tasks = SwitchPoints(rawValue: 1 << 63)

    /// Every atomic that the strategy may have, because the program is compiled for it.
    static let anyAtomic = SwitchPoints(rawValue: thread_schedule_is_instrumented() ? 1 << 62 : 0)

    private static let atomics = SwitchPoints(thread_loads_atomic, thread_stores_atomic, thread_updates_atomic)

    private init(_ operations: thread_operation...) {
        self.init(rawValue: operations.reduce(0) { $0 | 1 << UInt64($1.rawValue) })
    }

    /// Whether steps of atomics were tried, as far as the strategy has any.
    package var triesAtomics: Bool { !isDisjoint(with: Self.atomics.union(.anyAtomic)) }

    /// The kinds in a few words, and that atomics are not among them in a program that is not compiled for it.
    package var text: String {
        return names.joined(separator: ", ") + (triesAtomics ? "" : ExplorationRow.withoutAtomics)
    }

    private var names: [String] {
        let all: [(SwitchPoints, String)] = [
            (.tasks, "tasks and actors"),
            (SwitchPoints(thread_locks, thread_tries_lock, thread_unlocks), "locks"),
            (SwitchPoints(thread_locks_for_reading, thread_locks_for_writing), "read-write locks"),
            (SwitchPoints(thread_waits_for_signal, thread_signals, thread_broadcasts), "conditions"),
            (SwitchPoints(thread_waits_for_semaphore, thread_posts_semaphore), "semaphores"),
            (SwitchPoints(thread_calls_queue, thread_submits, thread_leaves_queue, thread_cancels), "queues"),
            (SwitchPoints(thread_waits_for_group, thread_changes_group, thread_applies), "groups"),
            (SwitchPoints(thread_creates, thread_joins), "threads"), (SwitchPoints(thread_yields), "yields"),
            (SwitchPoints(thread_sleeps, thread_times_out), "timers"),
            (Self.atomics, "atomics"),
            (SwitchPoints(thread_waits_for_word, thread_wakes), "futexes"),
            (SwitchPoints(thread_waits_at_barrier), "barriers"),
        ]
        return all.filter { !isDisjoint(with: $0.0) }.map(\.1)
    }
}
