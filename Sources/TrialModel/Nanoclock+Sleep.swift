import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Nanoclock {
    /// Blocks the calling thread, which must belong to the harness, until a time on this clock. Returns at once when
    /// the time has passed; a call of the kernel would still take 15 us or more.
    package static func sleep(until time: UInt64) {
        let now = now()
        guard now < time else { return }
        #if canImport(Darwin)
            Thread.sleep(forTimeInterval: Double(time - now) / 1e9)
        #else
            let (seconds, nanoseconds) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
            var moment = timespec(tv_sec: Int(clamping: seconds), tv_nsec: Int(nanoseconds))
            while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nil) == EINTR {}
        #endif
    }
}
