#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Processor time, in nanoseconds.
package enum ProcessClock {
    /// The processor time of all threads of this process. Costs some hundred nanoseconds.
    package static func now() -> UInt64 { read(CLOCK_PROCESS_CPUTIME_ID) }

    /// The processor time of the calling thread.
    package static func ofThread() -> UInt64 { read(CLOCK_THREAD_CPUTIME_ID) }

    /// The processor time of all ended child processes that this process waited for, including their own children.
    package static func ofEndedChildren() -> UInt64 {
        #if canImport(Darwin)
            let children = RUSAGE_CHILDREN
        #else
            let children = RUSAGE_CHILDREN.rawValue
        #endif
        var usage = rusage()
        guard getrusage(children, &usage) == 0 else { return 0 }
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
