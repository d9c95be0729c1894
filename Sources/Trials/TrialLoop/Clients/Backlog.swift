import Platform
import TimedStrategies

/// The time for which a client of an open loop has been late, and how much of it the cache took.
///
/// It begins with an operation that the client sent without delay after a wait, and lasts until the next wait. Operations
/// that are dropped were due in the last one.
struct Backlog: Sendable {
    private var start: UInt64 = 0
    private var end: UInt64 = 0
    /// How long the client waited for a thread meanwhile, in nanoseconds.
    private var waitNanoseconds: UInt64 = 0
    /// Until when the time of the cache is counted. The callers of a burst wait at the same time.
    private var counted: UInt64 = 0
    /// How long the client waited for the cache, in nanoseconds.
    private(set) var cacheNanoseconds: UInt64 = 0

    /// How long it lasted without the waits for a thread, in nanoseconds.
    var nanoseconds: UInt64 {
        let whole = Nanoclock.elapsed(from: start, to: end)
        return whole - min(whole, waitNanoseconds)
    }

    /// The client was in time until now.
    ///
    /// - Parameters:
    ///   - time: when its next operation was due.
    ///   - wait: how long it waited for a thread once its timer had seen that.
    mutating func begin(at time: UInt64, waiting wait: UInt64 = 0) {
        (start, end, counted) = (time, time, time)
        (waitNanoseconds, cacheNanoseconds) = (wait, 0)
    }

    /// The client waited for a thread between two operations.
    mutating func wait(_ nanoseconds: UInt64) { waitNanoseconds &+= nanoseconds }

    /// The cache has answered.
    mutating func answered(_ span: TimeSpan) {
        guard span.end > counted else { return }
        cacheNanoseconds &+= span.end &- max(span.start, counted)
        counted = span.end
    }

    /// The client sends no more operations.
    mutating func finish(at time: UInt64) { end = time }
}
