/// Adds up stretches of time.
package struct Stopwatch: Sendable {
    private var before: UInt64 = 0
    private var started: UInt64?

    package init(isRunning: Bool = false) {
        if isRunning { start() }
    }

    /// A stretch begins.
    package mutating func start() { started = Nanoclock.now() }

    /// The stretch ends. Nothing happens when there is none.
    package mutating func stop() {
        before = nanoseconds
        started = nil
    }

    /// All stretches together, in nanoseconds, the one that goes on included.
    package var nanoseconds: UInt64 {
        before &+ (started.map { Nanoclock.elapsed(from: $0, to: Nanoclock.now()) } ?? 0)
    }
}
