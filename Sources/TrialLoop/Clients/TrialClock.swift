import TrialModel

/// What clients wait by. What an operation takes is measured where the strategy is compiled, and not by this.
struct TrialClock: Sendable {
    /// Nanoseconds from an arbitrary start.
    let now: @Sendable () -> UInt64
    /// Blocks the calling thread, which must be one of the harness's own, until a time.
    let sleep: @Sendable (_ until: UInt64) -> Void

    /// The machine's.
    static let machine = TrialClock(now: { Nanoclock.now() }, sleep: { Nanoclock.sleep(until: $0) })
}
