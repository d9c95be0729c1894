import CacheStrategies
import TrialModel

// Loads that bring back a value which a newer write or removal had replaced, or that return it to a later caller.

extension KeyCheck {
    /// Judges ``Promise/newerWritesWin``. O(n log n).
    ///
    /// A fetched value is as old as the arrival of its request. When a write or removal of the key was called after
    /// that arrival and has returned, no hit that begins later may see the value. Where the value was certainly in
    /// the cache before the write, a hit breaks ``Promise/freshness`` or ``Promise/noResurrection`` instead, and is
    /// not counted twice.
    ///
    /// Nor may a load that begins later get the value by joining the load that fetches it, whichever caller made the
    /// change. Where a caller may see the changes of others later, only its own count, see ``judgeOwnPast(key:)``.
    mutating func judgeNewerWrites() {
        let sure = events.possibleChanges.filter { $0.end != .max }
        guard !sure.isEmpty || !index.clears.isEmpty else { return }
        if promises.consistency == .readYourWrites {
            judgeOwnNewerWrites(sure)
            return
        }
        let changes = sure.sorted { $0.start < $1.start }
        for zone in zones {
            guard let requestStart = zone.requestStart else { continue }
            judgeJoins(zone, requestStart, changes)
            guard zone.hitCount > 0 else { continue }
            tallies.newerWritesWin.checked += UInt64(zone.hitCount)
            let change = Self.earlier(
                changes.earliestEnd(startingAfter: requestStart, notAfter: zone.earliestEnd),
                index.clears.earliestEnd(startingAfter: requestStart, notAfter: zone.earliestEnd))
            if let change, change.end < zone.lastHitStart { noteOldFetch(zone, change, zone.lastHit) }
        }
    }

    private mutating func judgeJoins(_ zone: VersionZone, _ requestStart: UInt64, _ changes: [EventSpan]) {
        let joins = events.values[zone.events].filter {
            $0.role == .join || $0.role == .hit && mayHaveJoined($0, zone)
        }
        guard !joins.isEmpty else { return }
        tallies.newerWritesWin.checked += UInt64(joins.count)
        let change = Self.earlier(
            changes.earliestEnd(startingAfter: requestStart, notAfter: .max),
            index.clears.earliestEnd(startingAfter: requestStart, notAfter: .max))
        guard let change, let late = joins.first(where: { change.end < $0.start }) else { return }
        noteOldFetch(
            zone, change, late.reference, "a later \(late.role == .join ? "load" : "lookup") was coalesced with it")
    }

    /// The same for each caller's own changes and hits, for a strategy that promises only read-your-writes.
    private mutating func judgeOwnNewerWrites(_ sure: [EventSpan]) {
        let sorted = (sure + index.clears).sorted { $0.start < $1.start }
        let changes = Dictionary(grouping: sorted) { $0.reference.caller }
        for zone in zones where zone.hitCount > 0 {
            guard let requestStart = zone.requestStart else { continue }
            for hit in events.values[zone.events] where hit.role == .hit {
                guard let own = changes[hit.reference.caller] else { continue }
                tallies.newerWritesWin.checked += 1
                let change = own.earliestEnd(startingAfter: requestStart, notAfter: zone.earliestEnd)
                if let change, change.end < hit.start { noteOldFetch(zone, change, hit.reference) }
            }
        }
    }

    private static func earlier(_ one: EventSpan?, _ other: EventSpan?) -> EventSpan? {
        guard let one, let other else { return one ?? other }
        return one.end <= other.end ? one : other
    }

    private mutating func noteOldFetch(
        _ zone: VersionZone, _ change: EventSpan, _ reader: EventReference?, _ use: String = "was seen afterwards"
    ) {
        tallies.newerWritesWin.violate(eventCount: 3) { [writer, key] in
            let what =
                switch writer.operation(change.reference).kind {
                case .remove: "the key was removed"
                case .clear: "all keys were removed"
                default: "version \(writer.number(writer.operation(change.reference).version, key)) was written"
                }
            return writer.example(
                "version \(writer.number(zone.version, key)) of key \(key) was fetched before \(what), and \(use)",
                [zone.source, zone.insertion, change.reference, reader])
        }
    }
}
