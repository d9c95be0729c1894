#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Sleeping on the clock of ``MonotonicTime``.
enum ThreadSleep {
    /// Puts the calling thread to sleep; interrupted, it sleeps on.
    static func sleep(until due: UInt64) {
        while true {
            let now = MonotonicTime.now
            guard due > now else { return }
            let left = min(due - now, 60_000_000_000)
            var pause = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
            nanosleep(&pause, nil)
        }
    }
}

extension UInt64 {
    /// A point in time that lies `duration` later; cut to what a point in time can be.
    func advanced(by duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return self }
        let (whole, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowsAgain) = addingReportingOverflow(whole)
        let (end, overflowsAtLast) = sum.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
        return overflows || overflowsAgain || overflowsAtLast ? .max : end
    }
}
