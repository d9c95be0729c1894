import Measurement
import Platform

/// How a client shared its core with others during its turn, in nanoseconds.
struct CoreShare: Sendable {
    /// For how long it was ready to run in the measured part, and another thread had its core.
    var waiting: UInt64
    /// Its processor time in the whole turn.
    var processorTime: UInt64
}

/// Watches how a client shares its core. All calls come from the client's own thread.
struct CoreWatch: Sendable {
    private let delay = ThreadDelay()
    private var delayBefore: UInt64 = 0
    private var processorTimeBefore: UInt64 = 0

    mutating func turnBegins() { processorTimeBefore = ProcessClock.ofThread() }

    mutating func sliceBegins() { delayBefore = delay.nanoseconds ?? 0 }

    /// The share since the measured part began; `nil` where the system does not say it.
    func share() -> CoreShare? {
        guard let now = delay.nanoseconds else { return nil }
        return CoreShare(
            waiting: Nanoclock.elapsed(from: delayBefore, to: now),
            processorTime: Nanoclock.elapsed(from: processorTimeBefore, to: ProcessClock.ofThread()))
    }
}
