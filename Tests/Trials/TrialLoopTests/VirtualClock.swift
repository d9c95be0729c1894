import Locks
import TimedStrategies

@testable import TrialLoop

/// A clock that advances only by strategies and by sleeping: trials on it take no time and are deterministic.
final class VirtualClock: Sendable {
    private let time = Locked<UInt64>(1_000)
    /// How late a client wakes that sleeps over a full second.
    private let oversleeping: UInt64
    /// How long a client works until it has read the clock.
    private let reading: UInt64

    init(oversleeping: UInt64 = 0, reading: UInt64 = 0) {
        (self.oversleeping, self.reading) = (oversleeping, reading)
    }

    /// The current time.
    var now: UInt64 { time.withLock { $0 } }

    /// Time passes.
    func advance(by nanoseconds: UInt64) { time.withLock { $0 += nanoseconds } }

    /// The clock that clients use for waiting.
    var trialClock: TrialClock {
        TrialClock(
            now: {
                self.advance(by: self.reading)
                return self.now
            },
            sleep: { moment in
                self.time.withLock { time in
                    let isOverSecond = moment / 1_000_000_000 > time / 1_000_000_000
                    time = max(time, moment &+ (isOverSecond ? self.oversleeping : 0))
                }
            })
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
