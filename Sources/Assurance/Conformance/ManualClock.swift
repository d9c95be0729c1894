public import CacheStrategies
import Foundation
import Locks

/// A clock that moves only when a test says so.
public final class ManualClock: Sendable {
    private let start: Duration
    private let elapsed: Locked<Duration>
    private let dateLead = Locked(Duration.zero)

    /// - Parameter start: the initial value of ``now``; the date does not include it.
    public init(at start: Duration = .zero) {
        self.start = start
        elapsed = Locked(start)
    }

    /// The start plus the time by which the clock was advanced.
    public var now: Duration { elapsed.withLock { $0 } }

    /// Advances the clock.
    public func advance(by step: Duration) { elapsed.withLock { $0 += step } }

    /// Sets the date alone, as a correction of the machine's clock does.
    public func setDate(ahead lead: Duration) { dateLead.withLock { $0 = lead } }

    /// The clock to give to a strategy; its date moves with this clock, from 1 January 2001.
    public var cacheClock: CacheClock {
        CacheClock(
            now: { self.now },
            date: {
                let (seconds, attoseconds) = (self.now - self.start + self.dateLead.withLock { $0 }).components
                return Date(timeIntervalSinceReferenceDate: Double(seconds) + Double(attoseconds) / 1e18)
            }
        )
    }
}
