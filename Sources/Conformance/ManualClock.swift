package import CacheStrategies
import Foundation
import Locks

/// A clock that moves only when a test says so.
package final class ManualClock: Sendable {
    private let start: Duration
    private let elapsed: Locked<Duration>
    private let dateLead = Locked(Duration.zero)

    /// - Parameter start: what ``now`` is at first, which the date is not ahead by.
    package init(at start: Duration = .zero) {
        self.start = start
        elapsed = Locked(start)
    }

    /// The time since the clock was made, and its start.
    package var now: Duration { elapsed.withLock { $0 } }

    /// Moves on.
    package func advance(by step: Duration) { elapsed.withLock { $0 += step } }

    /// Sets the date alone, as somebody does who corrects the machine's clock.
    package func setDate(ahead lead: Duration) { dateLead.withLock { $0 = lead } }

    /// What a strategy is given; the date moves with the clock, from 1 January 2001.
    package var cacheClock: CacheClock {
        CacheClock(
            now: { self.now },
            date: {
                let (seconds, attoseconds) = (self.now - self.start + self.dateLead.withLock { $0 }).components
                return Date(timeIntervalSinceReferenceDate: Double(seconds) + Double(attoseconds) / 1e18)
            }
        )
    }
}
