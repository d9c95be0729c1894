import TrialModel

// Whether one order explains all operations on a key, when every version is written once: P. B. Gibbons and E.
// Korach, "Testing shared memories", SIAM Journal on Computing 26(4), 1997. Evictions are always allowed: only the
// versions that were seen matter.

extension KeyCheck {
    /// Judges ``Promise/freshness`` and ``Promise/noResurrection`` of a linearizable strategy, exactly. O(n log n).
    ///
    /// Removals and lookups that found nothing act as versions that no caller sees. An order explains the history if
    /// and only if no two forward zones overlap and no forward zone contains a backward zone.
    mutating func judgeFreshness() {
        var hits: UInt64 = 0
        var forward: [Int] = []
        var backward: [(span: EventSpan, zone: Int)] = []
        for (number, zone) in zones.enumerated() where zone.isConstrained {
            hits += UInt64(zone.hitCount)
            if zone.isForward {
                forward.append(number)
            } else if let span = zone.backwardSpan {
                backward.append((span, number))
            }
        }
        if forward.count + backward.count > 1 { tallies.freshness.checked += hits }
        let canBeAbsent = !events.absences.isEmpty || !index.clears.isEmpty
        if canBeAbsent { tallies.noResurrection.checked += hits }
        guard !forward.isEmpty, canBeAbsent || forward.count + backward.count > 1 else { return }

        forward.sort { zones[$0].earliestEnd < zones[$1].earliestEnd }
        backward.sort { $0.span.start < $1.span.start }
        let inner = backward.map(\.span)
        let absences = events.absences.sorted { $0.start < $1.start }
        for (position, number) in forward.enumerated() {
            let zone = zones[number]
            let next = position + 1 < forward.count ? zones[forward[position + 1]] : nil
            if let next, next.earliestEnd < zone.latestStart {
                noteContradiction(zone, next)
            } else if let found = inner.firstPosition(after: zone.earliestEnd, before: zone.latestStart) {
                noteContradiction(zone, zones[backward[found].zone])
            }
            noteReturn(of: zone, absences)
        }
    }

    /// Records a version that was seen after another version had replaced it.
    private mutating func noteContradiction(_ zone: VersionZone, _ other: VersionZone) {
        let single =
            singleEvent(of: other, inside: zone).map { (zone, other, $0) }
            ?? singleEvent(of: zone, inside: other).map { (other, zone, $0) }
        tallies.freshness.violate(eventCount: single == nil ? 4 : 3) { [writer, key] in
            guard let (outer, inner, event) = single else {
                // Each was seen, or inserted, before the other one was for the last time.
                let how =
                    other.isForward
                    ? "versions \(writer.number(zone.version, key)) and \(writer.number(other.version, key)) of key \(key) were in the cache at the same time"
                    : "version \(writer.number(zone.version, key)) of key \(key) was in the cache before and after version \(writer.number(other.version, key))"
                return writer.example(
                    how,
                    [zone.earliestEnder, zone.latestStarter, other.earliestEnder, other.latestStarter])
            }
            return writer.example(
                "version \(writer.number(outer.version, key)) of key \(key) was seen after version \(writer.number(inner.version, key)) had replaced it",
                [outer.first(endingBefore: event.start), event.reference, outer.latestStarter])
        }
    }

    /// An event of a version that lies wholly within the time in which another version was certainly held. The insert
    /// is preferred, because a reader looks for it first.
    private func singleEvent(of version: VersionZone, inside zone: VersionZone) -> EventSpan? {
        guard zone.isForward else { return nil }
        let event = events.values[version.events].first { event in
            switch event.role {
            case .hit where mayHaveJoined(event, version): false
            case .write, .hit: event.start > zone.earliestEnd && event.end < zone.latestStart
            case .fetch:
                event.reference == version.insertion && event.start > zone.earliestEnd
                    && event.end < zone.latestStart
            case .request, .join: false
            }
        }
        return event.map { EventSpan(start: $0.start, end: $0.end, reference: $0.reference) }
    }

    /// Records a version that was seen again after a removal, or after a lookup that found nothing.
    private mutating func noteReturn(of zone: VersionZone, _ absences: [EventSpan]) {
        let absence =
            absences.first(after: zone.earliestEnd, before: zone.latestStart)
            ?? index.clears.first(after: zone.earliestEnd, before: zone.latestStart)
        guard let absence else { return }
        tallies.noResurrection.violate(eventCount: 3) { [writer, key] in
            let reason =
                switch writer.operation(absence.reference).kind {
                case .remove: "it had been removed"
                case .clear: "all keys had been removed"
                default: "the key had been missing"
                }
            return writer.example(
                "version \(writer.number(zone.version, key)) of key \(key) was found again after \(reason)",
                [zone.first(endingBefore: absence.start), absence.reference, zone.latestStarter])
        }
    }
}

extension VersionZone {
    /// The insert when it ended before a moment, else the event that ended first.
    fileprivate func first(endingBefore moment: UInt64) -> EventReference? {
        if let insertion, insertEnd < moment { return insertion }
        return earliestEnder
    }
}
