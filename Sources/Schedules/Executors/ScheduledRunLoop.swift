internal import CTaskHooks

/// Runs the tasks of one thread one job at a time, in an order that its user decides.
///
/// ```swift
/// let loop = try ScheduledRunLoop()
/// loop.capturing {
///     Task { await work() }
///     while loop.readyCount > 0 { loop.run(at: 0) }
/// }
/// ```
///
/// Jobs are what the runtime would have handed to its pool or to the main queue: a task that starts, one that is resumed,
/// an actor that has callers. The main actor has an executor of the loop's while it captures. Tasks that yield or sleep are
/// caught only in a process that is taken over, see ``takeOverProcess()``. What another thread resumes goes to the pool:
/// such work can't be scheduled.
///
/// Not safe from several threads: it is made, used and dropped by one.
package final class ScheduledRunLoop {
    /// Where a task may be taken off the thread.
    package enum Granularity: Sendable {
        /// Where it waits for something, as on a pool where nobody else is at the actors it calls.
        case suspensions
        /// Also wherever it calls an actor or comes back from one, as on a busy pool.
        case hops
    }

    private let jobs: OpaquePointer
    private let main = MainStandIn()
    private let worker = Worker()

    /// - Throws: ``OutOfMemory``.
    package init() throws(OutOfMemory) {
        guard let jobs = scheduled_jobs_create(scheduled_executor(main), scheduled_executor(worker)) else {
            throw OutOfMemory()
        }
        main.jobs = jobs
        self.jobs = jobs
    }

    deinit {
        main.jobs = nil
        scheduled_jobs_destroy(jobs)
    }

    /// How many jobs are ready.
    package var readyCount: Int { scheduled_jobs_count(jobs) }

    /// Does something whose tasks belong to the loop.
    package func capturing<Result>(_ body: () throws -> Result) rethrows -> Result {
        scheduled_jobs_capture(jobs)
        defer { scheduled_jobs_capture(nil) }
        return try body()
    }

    /// Takes the tasks of other threads as well, where a function says that a thread is one of those that run one at a time.
    package func share(_ belongs: (@convention(c) () -> Bool)?) {
        scheduled_jobs_share(belongs == nil ? nil : jobs, belongs)
    }

    /// Runs a ready job until its task waits; only while capturing. The order of the others changes, always alike. O(1).
    ///
    /// - Parameter index: which one, from 0 to below ``readyCount``; another number does nothing.
    package func run(at index: Int, _ granularity: Granularity = .hops) {
        guard index >= 0 else { return }
        _ = scheduled_jobs_run(jobs, index, granularity == .hops)
    }

    /// Lets the loop's time pass until the next task that sleeps is ready.
    ///
    /// - Returns: whether there was one.
    package func wake() -> Bool { scheduled_jobs_wake(jobs) }

    /// Forgets what is ready, so that it never runs. For what would not end.
    package func forgetAll() {
        scheduled_jobs_forget(jobs)
    }
}

/// There is no memory for a run loop.
package struct OutOfMemory: Error {}

/// The main actor's executor while a loop captures.
private final class MainStandIn: SerialExecutor, @unchecked Sendable {
    // Unchecked, because `jobs` is a variable: the loop sets it before its thread captures, and only a thread that
    // captures is given this executor.
    var jobs: OpaquePointer?

    func enqueue(_ job: UnownedJob) {
        guard let jobs else { return }
        // An unowned job is the runtime's pointer to it and nothing else; that the sizes agree is checked here.
        scheduled_jobs_add_main(jobs, unsafeBitCast(job, to: UnsafeMutableRawPointer.self))
    }

    /// Asked of code that no task runs: blocks of the main dispatch queue, which a thread of the order carries.
    func checkIsolated() {}
}

/// What jobs run on that are to make a new one wherever they call an actor. Nobody enqueues on it.
private final class Worker: SerialExecutor {
    func enqueue(_ job: UnownedJob) {
        job.runSynchronously(on: asUnownedSerialExecutor())
    }
}

extension scheduled_executor {
    /// An executor as the runtime passes it. Not retained.
    fileprivate init(_ executor: some SerialExecutor) {
        // An unowned executor is the runtime's pair of words and nothing else; that the sizes agree is checked here.
        self = unsafeBitCast(executor.asUnownedSerialExecutor(), to: scheduled_executor.self)
    }
}
