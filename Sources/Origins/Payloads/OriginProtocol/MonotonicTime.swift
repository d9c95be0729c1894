import Dispatch

/// The clock of the origin's log.
package enum MonotonicTime {
    /// Nanoseconds since the machine was started, without the time it slept; the same in all processes of a machine
    /// (`CLOCK_MONOTONIC` on Linux). About 30 ns.
    package static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }
}
