import Locks
import TimedStrategies

@testable import TrialLoop

/// A clock that advances only by strategies and by sleeping: trials on it take no time and are deterministic.
final class VirtualClock: Sendable {
    private let time = Locked<UInt64>(1_000)

    /// The clock that clients use for waiting.
    var trialClock: TrialClock {
        TrialClock(
            now: { self.time.withLock { $0 } },
            sleep: { moment in self.time.withLock { $0 = max($0, moment) } })
    }

    /// A cache that holds nothing. A lookup takes 10 microseconds of this clock, and one of them a second.
    ///
    /// - Parameter stallingLookup: the lookup that stalls, from 1.
    func cache(stallingAt stallingLookup: Int = 0) -> OpenStrategy {
        let lookups = Locked(0)
        return OpenStrategy { _, _, _, _ in
            let lookup = lookups.withLock { lookups in
                lookups += 1
                return lookups
            }
            return self.time.withLock { time in
                let start = time
                time += lookup == stallingLookup ? 1_000_000_000 : 10_000
                return TimedAnswer(start, time, .miss)
            }
        }
    }
}
