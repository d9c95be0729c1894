package import CacheStrategies
import Dispatch
import Schedules
package import TimedStrategies

/// An actor with an executor of its own: its queue is one of the ordered ones.
package actor ExecutorCache<Value: CacheableValue>: CacheStrategy {
    /// Runs jobs on a queue.
    private final class QueueExecutor: SerialExecutor {
        private let queue = DispatchQueue(label: "executor")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let executor = asUnownedSerialExecutor()
            queue.async { job.runSynchronously(on: executor) }
        }
    }

    private nonisolated let executor = QueueExecutor()
    private var entries: [Int: Value] = [:]

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: "ordered-executor", summary: "an actor on a queue of its own", role: .control,
            promises: Promises(limit: .none))
    }

    package init(configuration: StrategyConfiguration) {}

    package func value(forKey key: Int) -> Value? { entries[key] }
    package func insert(_ value: Value, forKey key: Int, cost: Int) { entries[key] = value }
    package func removeValue(forKey key: Int) { entries[key] = nil }
    package func removeAll() { entries.removeAll() }
    package func statistics() -> CacheStatistics { CacheStatistics() }
    package func close() {}

    package func load(_ key: Int, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadUnshared(key, fetch: fetch)
    }
}

/// What an exploration controls, as strategies of a program.
package enum Primitives {
    /// A cache whose queue is one of the ordered ones.
    package static let executor = Strategy(ExecutorCache<TrialValue>.self).exploring(ExecutorCache<ScheduleValue>.self)
}
