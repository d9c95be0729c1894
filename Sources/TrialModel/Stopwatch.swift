/// Adds up periods of time.
package struct Stopwatch: Sendable {
    private var before: UInt64 = 0
    private var started: UInt64?

    package init(isRunning: Bool = false) {
        if isRunning { start() }
    }

    /// Starts a period.
    package mutating func start() { started = Nanoclock.now() }

    /// Ends the current period; does nothing without one.
    package mutating func stop() {
        before = nanoseconds
        started = nil
    }

    /// The total of all periods, including the current one, in nanoseconds.
    package var nanoseconds: UInt64 {
        before &+ (started.map { Nanoclock.elapsed(from: $0, to: Nanoclock.now()) } ?? 0)
    }
}
