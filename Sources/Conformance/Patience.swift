import CacheStrategies
import Locks

/// The time that some checks together may spend on waiting for what does not happen at once.
///
/// One sum for all of them, so that whoever watches them knows when to give up, and a check can still say itself what it
/// has waited for. Each wait may take half of what is left: a cache that is late everywhere is given up on sooner and
/// sooner, and the first wait is the longest.
package final class Patience: Sendable {
    private let left: Locked<Duration>

    /// - Parameter total: what all waits take together, at most. Only a fault makes them take it.
    package init(_ total: Duration) { left = Locked(total) }

    /// How long the next wait may take.
    var next: Duration { left.withLock { $0 / 2 } }

    /// Takes off what a wait has taken.
    func spend(since start: ContinuousClock.Instant) {
        let spent = ContinuousClock.now - start
        left.withLock { $0 = max($0 - spent, .zero) }
    }
}
