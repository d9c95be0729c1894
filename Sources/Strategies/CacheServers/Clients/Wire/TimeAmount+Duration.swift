import NIOCore

extension TimeAmount {
    /// The duration in whole nanoseconds, at most 2^63 - 1.
    init(_ duration: Duration) {
        let (seconds, overflows) = duration.components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        self = .nanoseconds(overflows ? .max : seconds &+ duration.components.attoseconds / 1_000_000_000)
    }
}
