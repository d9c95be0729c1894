import Dispatch

/// A thread outside the pool for work that computes for minutes and never waits. With one processor the pool has one
/// thread, so that none would be left to see the signal that ends the work.
final class WorkThread: TaskExecutor {
    private let queue = DispatchQueue(label: "trace-work")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs work on a thread of its own. Cancelling the caller cancels the work.
    static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withTaskExecutorPreference(WorkThread()) { try await perform(work) }
    }

    /// Runs work on a thread of its own, and cancels it when its time is over.
    ///
    /// - Returns: its result; `nil` when the work did not finish.
    static func run<Value: Sendable>(
        within limit: Duration?, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await run(work) }
            if let limit {
                group.addTask {
                    try await Task.sleep(for: limit)
                    return nil
                }
            }
            let value = try await group.next() ?? nil
            group.cancelAll()
            // The error of cancelled work is ignored.
            if value == nil { _ = try? await group.next() }
            return value
        }
    }

    @concurrent
    private static func perform<Value: Sendable>(_ work: @Sendable () throws -> Value) async throws -> Value {
        try work()
    }
}
