internal import CTaskHooks
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

extension ScheduledRunLoop {
    /// Makes the loop capture yields and sleeps as well, for the rest of the process's life.
    ///
    /// The runtime of Swift 6.3 asks its default executor for both and has no hook there. So the executor is replaced
    /// by one that passes on everything that no loop captures. Call this before anything uses tasks from several
    /// threads: the runtime does not guard the variable. Where the platform has no replaceable executor, nothing
    /// happens.
    package static func takeOverProcess() {
        if #available(macOS 26.4, *) { _createExecutors(factory: TakenOverExecutors.self) }
    }
}

@available(macOS 26.4, *)
private enum TakenOverExecutors: ExecutorFactory {
    static var mainExecutor: any MainExecutor { PlatformExecutorFactory.mainExecutor }
    static let defaultExecutor: any TaskExecutor = CapturingExecutor()
}

/// The default executor after ``ScheduledRunLoop/takeOverProcess()``.
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
        // A round number of milliseconds has lost a little on its way here, and not always the same amount.
        let rounded = (delay &+ 500_000) / 1_000_000 * 1_000_000
        if scheduled_jobs_add_captured_after(Self.pointer(job), rounded) { return }
        guard let platform = PlatformExecutorFactory.defaultExecutor as? any SchedulingExecutor else {
            PlatformExecutorFactory.defaultExecutor.enqueue(job)
            return
        }
        platform.enqueue(ExecutorJob(job), at: instant, tolerance: tolerance, clock: clock)
    }

    /// An unowned job consists only of the runtime's pointer to it; a mismatch of the sizes traps here.
    private static func pointer(_ job: UnownedJob) -> UnsafeMutableRawPointer {
        unsafeBitCast(job, to: UnsafeMutableRawPointer.self)
    }

    /// Nanoseconds of a delay: 0 for a time that has passed, and for a clock that has its own unit.
    private static func nanoseconds(_ delay: some DurationProtocol) -> UInt64 {
        guard let delay = delay as? Duration, delay > .zero else { return 0 }
        let (seconds, attoseconds) = delay.components
        let (whole, isOver) = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return isOver ? .max : whole &+ UInt64(clamping: attoseconds / 1_000_000_000)
    }
}
