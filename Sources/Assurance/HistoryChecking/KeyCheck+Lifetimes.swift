import CacheStrategies
import TrialModel

// Entries that are found after their lifetime, by any kind of operation.

extension KeyCheck {
    /// Judges ``Promise/lifetimes``: every hit must begin before the entry's lifetime is over. The lifetime begins with
    /// the insert, or with the last use where a use prolongs it. All hits count: of lookups and of loads, on threads
    /// and in tasks. O(hits).
    ///
    /// A lifetime begins no later than its insert returns, or is seen; where that moment isn't known, the hits are not
    /// judged.
    mutating func judgeLifetimes(_ terms: HistoryTerms) {
        guard let lifetime = terms.lifetime(key) else { return }
        let rules = promises.timeToLive
        let delay = promises.consistency == .eventual ? Promises.settlingTime : .zero
        let allowed = lifetime.addingClamped((rules.resolution + delay).nanoseconds).addingClamped(Self.clockTolerance)
        for zone in zones where zone.hitCount > 0 && zone.insertEnd != .max {
            var began = zone.insertEnd
            var beginner = zone.insertion
            for hit in events.values[zone.events] where hit.role == .hit {
                tallies.lifetimes.checked += 1
                if hit.start > began.addingClamped(allowed) { noteLateHit(zone, beginner, hit, lifetime) }
                guard rules.kind == .sliding, hit.end > began else { continue }
                (began, beginner) = (hit.end, hit.reference)
            }
        }
    }

    private mutating func noteLateHit(
        _ zone: VersionZone, _ beginner: EventReference?, _ hit: ValueEvent, _ lifetime: UInt64
    ) {
        tallies.lifetimes.violate(eventCount: 2) { [writer, key] in
            writer.example(
                "version \(writer.number(zone.version, key)) of key \(key) was found when its lifetime of "
                    + "\(CounterexampleDrawing.time(lifetime)) was over",
                [beginner, hit.reference])
        }
    }

    /// The tolerance for the difference between the cache's clock and the callers' clock, in nanoseconds.
    static var clockTolerance: UInt64 { 2_000_000 }
}

extension UInt64 {
    /// The sum, or the largest number on overflow.
    func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}

extension Duration {
    /// The duration in whole nanoseconds; 0 where it is negative, the largest number on overflow.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflows ? .max : whole.addingClamped(UInt64(attoseconds / 1_000_000_000))
    }
}
