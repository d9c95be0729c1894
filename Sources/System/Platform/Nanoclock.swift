/// The clock of every measurement: monotonic nanoseconds, from an arbitrary start that a machine's processes share.
@usableFromInline
package enum Nanoclock {
    /// Nanoseconds since the clock's start. Costs about 20 ns.
    @inlinable
    @inline(__always)
    package static func now() -> UInt64 {
        #if canImport(Darwin)
            // Its `clock_gettime(CLOCK_MONOTONIC)` has a resolution of a microsecond only.
            return clock_gettime_nsec_np(CLOCK_UPTIME_RAW)
        #else
            var time = timespec()
            // This cannot fail: the clock exists, and the pointer is valid.
            clock_gettime(CLOCK_MONOTONIC, &time)
            return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
        #endif
    }

    /// The time from `start` to `end` in nanoseconds; 0 when `end` is earlier.
    @inlinable
    @inline(__always)
    package static func elapsed(from start: UInt64, to end: UInt64) -> UInt64 {
        end > start ? end &- start : 0
    }

    /// Blocks the calling thread, which must belong to the harness, until a time on this clock. Returns at once when
    /// the time has passed; a call of the kernel would still take 15 us or more.
    package static func sleep(until time: UInt64) {
        let now = now()
        guard now < time else { return }
        #if canImport(Darwin)
            // A signal ends the call early; then it leaves the rest.
            var rest = timespec(nanoseconds: time - now)
            while nanosleep(&rest, &rest) != 0, errno == EINTR {}
        #else
            var moment = timespec(nanoseconds: time)
            while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nil) == EINTR {}
        #endif
    }
}

extension timespec {
    fileprivate init(nanoseconds time: UInt64) {
        let (seconds, nanoseconds) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
        self.init(tv_sec: Int(clamping: seconds), tv_nsec: Int(nanoseconds))
    }
}

/// Adds up periods of time.
package struct Stopwatch: Sendable {
    private var before: UInt64 = 0
    private var started: UInt64?

    package init(isRunning: Bool = false) {
        if isRunning { start() }
    }

    /// Starts a period.
    package mutating func start() { started = Nanoclock.now() }

    /// Ends the current period; does nothing without one.
    package mutating func stop() {
        before = nanoseconds
        started = nil
    }

    /// The total of all periods, including the current one, in nanoseconds.
    package var nanoseconds: UInt64 {
        before &+ (started.map { Nanoclock.elapsed(from: $0, to: Nanoclock.now()) } ?? 0)
    }
}

/// Processor time, in nanoseconds.
package enum ProcessClock {
    /// The processor time of all threads of this process. Costs some hundred nanoseconds.
    package static func now() -> UInt64 { read(CLOCK_PROCESS_CPUTIME_ID) }

    /// The processor time of the calling thread.
    package static func ofThread() -> UInt64 { read(CLOCK_THREAD_CPUTIME_ID) }

    /// The processor time of all ended child processes that this process waited for, including their own children.
    package static func ofEndedChildren() -> UInt64 {
        let usage = rusage.ofEndedChildren()
        return [usage.ru_utime, usage.ru_stime].reduce(0) { sum, time in
            sum &+ UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_usec) &* 1_000
        }
    }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return 0 }
        return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
    }
}
