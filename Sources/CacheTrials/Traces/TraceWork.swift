import Dispatch

/// Work on traces: it computes for minutes and never waits, and Ctrl-C ends it.
enum TraceWork {
    /// Runs the work on a thread of its own and cancels it at a signal; see ``Interruption/cancelling(_:)``.
    static func cancelling<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async -> Interruption<Value> {
        await Interruption.cancelling { try await onThread(work) }
    }

    /// Runs the work on a thread of its own, and cancels it when its time is over.
    ///
    /// - Returns: whether it came to its end.
    static func isEnded(within limit: Duration?, _ work: @escaping @Sendable () throws -> Void) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await onThread(work)
                return true
            }
            if let limit {
                group.addTask {
                    try await Task.sleep(for: limit)
                    return false
                }
            }
            let isEnded = try await group.next() ?? true
            group.cancelAll()
            // What the work says of having been cancelled is no error.
            if !isEnded { _ = try? await group.next() }
            return isEnded
        }
    }

    private static func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value
    {
        try await withTaskExecutorPreference(WorkThread()) { try await perform(work) }
    }

    @concurrent
    private static func perform<Value: Sendable>(_ work: @Sendable () throws -> Value) async throws -> Value {
        try work()
    }
}

/// A thread beside the pool: with one processor the pool has one thread, and nobody would be left to see the signal.
private final class WorkThread: TaskExecutor {
    private let queue = DispatchQueue(label: "trace-work")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
