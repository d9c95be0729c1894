internal import CTaskHooks
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

extension ScheduledRunLoop {
    /// Makes yields and sleeps of captured tasks the loop's as well, for the rest of the process's life.
    ///
    /// The runtime of Swift 6.3 asks its default executor for both and has no hook there, so the executor is replaced, by
    /// one that hands everything on that no loop captures. To be called before anything else uses tasks from several
    /// threads: the runtime does not guard the variable. Where the platform has no such thing, nothing happens.
    package static func takeOverProcess() {
        if #available(macOS 26.4, *) { _createExecutors(factory: TakenOverExecutors.self) }
    }
}

@available(macOS 26.4, *)
private enum TakenOverExecutors: ExecutorFactory {
    static var mainExecutor: any MainExecutor { PlatformExecutorFactory.mainExecutor }
    static let defaultExecutor: any TaskExecutor = CapturingExecutor()
}

/// The default executor of a process that is taken over.
@available(macOS 26.4, *)
private final class CapturingExecutor: TaskExecutor, SchedulingExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if scheduled_jobs_add_captured(Self.pointer(job)) { return }
        PlatformExecutorFactory.defaultExecutor.enqueue(job)
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
        let job = UnownedJob(job)
        if scheduled_jobs_add_captured_after(Self.pointer(job), Self.nanoseconds(delay)) { return }
        guard let platform = PlatformExecutorFactory.defaultExecutor as? any SchedulingExecutor else {
            PlatformExecutorFactory.defaultExecutor.enqueue(job)
            return
        }
        platform.enqueue(ExecutorJob(job), after: delay, tolerance: tolerance, clock: clock)
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) {
        let job = UnownedJob(job)
        let delay = Self.nanoseconds(clock.now.duration(to: instant))
        // What was a round number of milliseconds has lost a little on its way here, never the same twice.
        let rounded = (delay &+ 500_000) / 1_000_000 * 1_000_000
        if scheduled_jobs_add_captured_after(Self.pointer(job), rounded) { return }
        guard let platform = PlatformExecutorFactory.defaultExecutor as? any SchedulingExecutor else {
            PlatformExecutorFactory.defaultExecutor.enqueue(job)
            return
        }
        platform.enqueue(ExecutorJob(job), at: instant, tolerance: tolerance, clock: clock)
    }

    /// An unowned job is the runtime's pointer to it and nothing else; that the sizes agree is checked here.
    private static func pointer(_ job: UnownedJob) -> UnsafeMutableRawPointer {
        unsafeBitCast(job, to: UnsafeMutableRawPointer.self)
    }

    /// 0 for a time that has passed, and for a clock that has a unit of its own.
    private static func nanoseconds(_ delay: some DurationProtocol) -> UInt64 {
        guard let delay = delay as? Duration, delay > .zero else { return 0 }
        let (seconds, attoseconds) = delay.components
        let (whole, isOver) = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return isOver ? .max : whole &+ UInt64(clamping: attoseconds / 1_000_000_000)
    }
}
