import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Nanoclock {
    /// Blocks the calling thread, which must be one of the harness's own, until a time on this clock.
    package static func sleep(until time: UInt64) {
        #if canImport(Darwin)
            let now = now()
            if now < time { Thread.sleep(forTimeInterval: Double(time - now) / 1e9) }
        #else
            let (seconds, nanoseconds) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
            var moment = timespec(tv_sec: Int(clamping: seconds), tv_nsec: Int(nanoseconds))
            while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nil) == EINTR {}
        #endif
    }
}
