import CacheStrategies
import Foundation

/// A clock that moves when it is told to.
final class StepClock: @unchecked Sendable {
    // Sound although unchecked: everything is touched only while the lock is held.
    private let lock = NSLock()
    private var elapsed: Duration
    private var wall: Date

    init(elapsed: Duration = .zero, date: Date = Date(timeIntervalSinceReferenceDate: 0)) {
        self.elapsed = elapsed
        wall = date
    }

    /// Moves both clocks.
    func advance(by step: Duration) {
        lock.withLock {
            elapsed += step
            wall += TimeInterval(step.components.seconds)
        }
    }

    /// Moves the wall clock alone.
    func shiftDate(by seconds: TimeInterval) {
        lock.withLock { wall += seconds }
    }

    var clock: CacheClock {
        CacheClock(now: { self.lock.withLock { self.elapsed } }, date: { self.lock.withLock { self.wall } })
    }
}
