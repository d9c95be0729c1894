import Foundation
import Locks
import TimedStrategies

@testable import TrialLoop

/// A clock that only strategies and sleeping move on: trials on it take no time and always measure the same.
///
/// One for the process, so that suites which use it are serialized.
enum VirtualClock {
    private static let time = Locked<UInt64>(1_000)

    /// The clock as a phase knows it.
    static let trialClock = TrialClock(now: { now() }, sleep: { sleep(until: $0) })

    static func now() -> UInt64 { time.withLock { $0 } }

    static func sleep(until moment: UInt64) { time.withLock { $0 = max($0, moment) } }

    static func advance(by nanoseconds: UInt64) { time.withLock { $0 += nanoseconds } }
}

extension OpenStrategy {
    /// A cache that holds nothing, whose lookups take 10 microseconds of the virtual clock, and one of them a second.
    ///
    /// - Parameter stallingLookup: the lookup that stalls, from 1.
    static func stalling(at stallingLookup: Int) -> OpenStrategy {
        let lookups = Locked(0)
        return OpenStrategy { _, _, _, _ in
            let stalls = lookups.withLock { lookups in
                lookups += 1
                return lookups == stallingLookup
            }
            let start = VirtualClock.now()
            VirtualClock.advance(by: stalls ? 1_000_000_000 : 10_000)
            return TimedAnswer(start, VirtualClock.now(), .miss)
        }
    }
}
