internal import CTaskHooks
import TrialModel

/// Runs the tasks of one thread one job at a time, in an order that the user of the loop chooses.
///
/// ```swift
/// let loop = try ScheduledRunLoop()
/// loop.capturing {
///     Task { await work() }
///     while loop.readyCount > 0 { loop.run(at: 0) }
/// }
/// ```
///
/// Jobs are what the runtime would otherwise pass to its pool or to the main queue: a task that starts or is resumed,
/// and an actor that has callers. While the loop captures, the main actor has an executor of the loop. Tasks that yield
/// or sleep are captured only after ``takeOverProcess()``. A task that another thread resumes goes to the pool: such
/// work can't be scheduled.
///
/// It is not thread-safe: one thread makes, uses and drops it.
package final class ScheduledRunLoop {
    /// Where a task may be taken off the thread.
    package enum Granularity: Sendable {
        /// Only where the task waits for something, as on a pool where the actors it calls have no other callers.
        case suspensions
        /// Also at every call of an actor and every return from one, as on a busy pool.
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

    /// Runs a body whose tasks belong to the loop.
    package func capturing<Result>(_ body: () throws -> Result) rethrows -> Result {
        scheduled_jobs_capture(jobs)
        defer { scheduled_jobs_capture(nil) }
        return try body()
    }

    /// Also captures the tasks of other threads for which a function says that they run one at a time.
    package func share(_ belongs: (@convention(c) () -> Bool)?) {
        scheduled_jobs_share(belongs == nil ? nil : jobs, belongs)
    }

    /// Runs a ready job until its task waits; call it only while capturing. The order of the other jobs changes, always
    /// in the same way. O(1).
    ///
    /// - Parameter index: the job's index, from 0 to below ``readyCount``; another number does nothing.
    package func run(at index: Int, _ granularity: Granularity = .hops) {
        if let job = take(at: index) { run(job, granularity) }
    }

    /// A job that was taken off the loop, to be run once.
    struct Job {
        fileprivate let job: scheduled_job
        /// Whether it belongs to the main actor, of whose jobs one runs at a time.
        var isMain: Bool { job.is_main }
    }

    /// Takes a ready job off the loop; `nil` if there is none with this index.
    func take(at index: Int) -> Job? {
        guard index >= 0, index < readyCount else { return nil }
        var taken = scheduled_job(job: Unmanaged.passUnretained(main).toOpaque(), is_main: false)
        return scheduled_jobs_take(jobs, index, &taken) ? Job(job: taken) : nil
    }

    /// Runs a job on this thread until its task waits.
    func run(_ job: Job, _ granularity: Granularity) { scheduled_jobs_run(jobs, job.job, granularity == .hops) }

    /// Whether tasks sleep.
    package var hasSleepers: Bool { scheduled_jobs_sleep(jobs) }

    /// Advances the loop's time until the next sleeping task is ready.
    ///
    /// - Returns: whether there was a sleeping task.
    @discardableResult
    package func wake() -> Bool { scheduled_jobs_wake(jobs) }

    /// Drops the ready and the sleeping jobs, so that they never run. Use it for a schedule that does not end.
    package func forgetAll() {
        scheduled_jobs_forget(jobs)
    }
}

/// How often sleeping tasks may still be woken in a schedule. A task that sleeps again and again never ends, so that
/// nothing may wait for it.
struct PassingTime {
    /// How often time passes although a task could run.
    private var races = 3
    /// How often it passes because nothing else is left, while a caller has not ended.
    private var waits = 1000
    /// How often it passes after all callers have ended.
    private var rests = 8
    /// How often it has passed before something else was tried.
    private var waitsInARow = 0

    /// Whether time passes now, although a task could run; it does at one point of 16, drawn only if a task sleeps.
    mutating func races(_ loop: ScheduledRunLoop, _ random: inout RandomSource) -> Bool {
        guard loop.hasSleepers, races > 0, random.next(below: 16) == 0 else { return false }
        races -= 1
        return loop.wake()
    }

    /// Lets time pass because nothing is ready.
    ///
    /// - Parameters:
    ///   - isAwaited: whether a caller has not ended.
    ///   - isPatient: whether something else could happen after some time.
    mutating func passes(_ loop: ScheduledRunLoop, isAwaited: Bool, isPatient: Bool) -> Bool {
        guard isAwaited ? waits > 0 : rests > 0, !isPatient || waitsInARow < 4, loop.wake() else {
            waitsInARow = 0
            return false
        }
        if isAwaited { waits -= 1 } else { rests -= 1 }
        waitsInARow += 1
        return true
    }
}

/// There is not enough memory for a run loop.
package struct OutOfMemory: Error {}

/// The main actor's executor while a loop captures.
private final class MainStandIn: SerialExecutor, @unchecked Sendable {
    // Unchecked, because `jobs` is a variable: the loop sets it before its thread captures, and only a capturing thread
    // is given this executor.
    var jobs: OpaquePointer?

    func enqueue(_ job: UnownedJob) {
        guard let jobs else { return }
        // An unowned job consists only of the runtime's pointer to it; a mismatch of the sizes traps here.
        scheduled_jobs_add_main(jobs, unsafeBitCast(job, to: UnsafeMutableRawPointer.self))
    }

    /// Called for code that no task runs: blocks of the main dispatch queue, which a controlled thread runs.
    func checkIsolated() {}
}

/// The executor of jobs that must make a new job at every call of an actor. No job is enqueued on it.
private final class Worker: SerialExecutor {
    func enqueue(_ job: UnownedJob) {
        job.runSynchronously(on: asUnownedSerialExecutor())
    }
}

extension scheduled_executor {
    /// An executor in the form in which the runtime passes it. Not retained.
    fileprivate init(_ executor: some SerialExecutor) {
        // An unowned executor consists only of the runtime's pair of words; a mismatch of the sizes traps here.
        self = unsafeBitCast(executor.asUnownedSerialExecutor(), to: scheduled_executor.self)
    }
}
