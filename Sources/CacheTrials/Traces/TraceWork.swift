import Dispatch

/// Work on traces: it computes for minutes and never waits, and Ctrl-C ends it.
enum TraceWork {
    /// Runs the work on a thread of its own and cancels it at a signal; see ``Interruption/cancelling(_:)``.
    static func cancelling<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async -> Interruption<Value> {
        await Interruption.cancelling {
            try await withTaskExecutorPreference(WorkThread()) { try await perform(work) }
        }
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
