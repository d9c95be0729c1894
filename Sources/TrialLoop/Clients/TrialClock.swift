import TrialModel

/// The clock that clients use for waiting. Operations are not timed with it, but where the strategy is compiled.
struct TrialClock: Sendable {
    /// Nanoseconds from an arbitrary start.
    let now: @Sendable () -> UInt64
    /// Blocks the calling thread, which must be one of the harness's own, until a time.
    let sleep: @Sendable (_ until: UInt64) -> Void

    /// The machine's.
    static let machine = TrialClock(now: { Nanoclock.now() }, sleep: { Nanoclock.sleep(until: $0) })
}
