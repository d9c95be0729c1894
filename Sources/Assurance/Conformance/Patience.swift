import CacheStrategies
import Locks

/// The time that a set of checks may spend in total on waiting for effects that are not immediate.
///
/// The total is shared, so that a process that supervises the checks knows when to give up, while a check can still
/// report what it waited for. Each wait may take half of the remaining time: the first wait is the longest, and a
/// cache that is late everywhere is given up on sooner and sooner.
package final class Patience: Sendable {
    private let left: Locked<Duration>

    /// - Parameter total: the most time that all waits take together. Only a fault uses it up.
    package init(_ total: Duration) { left = Locked(total) }

    /// How long the next wait may take.
    var next: Duration { left.withLock { $0 / 2 } }

    /// Subtracts the time that a wait has taken.
    func spend(since start: ContinuousClock.Instant) {
        let spent = ContinuousClock.now - start
        left.withLock { $0 = max($0 - spent, .zero) }
    }
}
