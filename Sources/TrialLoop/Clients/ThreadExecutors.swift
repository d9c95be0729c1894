import Foundation

/// Dedicated threads that carry tasks: client `i` prefers thread `i`, and so do the actors that it calls.
///
/// The shared pool has one thread for each core, and tasks that never run on it at the same time show no race. These
/// threads are only for race detection: a task on a thread of its own makes an actor several times slower.
struct ThreadExecutors: Sendable {
    private let executors: [ThreadExecutor]

    /// Starts the threads.
    ///
    /// - Parameter count: at least 1.
    init(count: Int) {
        executors = (0..<max(1, count)).map { ThreadExecutor(name: "client \($0)") }
    }

    /// The thread of a client or caller; threads are reused in turn when there are more clients than threads.
    subscript(index: Int) -> any TaskExecutor { executors[index % executors.count] }

    /// Ends the threads once their jobs are done. No job may be added afterwards.
    func stop() {
        for executor in executors { executor.stop() }
    }
}

/// One thread that runs jobs in the order in which they arrive.
final class ThreadExecutor: TaskExecutor, @unchecked Sendable {
    // Every access to `jobs` and `isStopped` happens while `condition` is held.
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var isStopped = false

    init(name: String) {
        DedicatedThreads.start(name: name) { [self] in serve() }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }

    /// Ends the thread when no job is left.
    func stop() {
        condition.withLock {
            isStopped = true
            condition.signal()
        }
    }

    private func serve() {
        let executor = asUnownedTaskExecutor()
        while let batch = nextJobs() {
            for job in batch { job.runSynchronously(on: executor) }
        }
    }

    /// Waits for jobs and takes all of them; `nil` when there will be no more.
    private func nextJobs() -> [UnownedJob]? {
        condition.withLock {
            while jobs.isEmpty, !isStopped { condition.wait() }
            guard !jobs.isEmpty else { return nil }
            defer { jobs.removeAll(keepingCapacity: true) }
            return jobs
        }
    }
}
