import CacheStrategies
import TrialModel

// The origin of values: the versions of a key become zones, and values that were never written or sent are detected.

extension KeyCheck {
    /// Judges ``Promise/ownValues`` and fills ``zones``.
    mutating func judgeValues() {
        zones.removeAll(keepingCapacity: true)
        for reference in events.wrongValues {
            let operation = writer.operation(reference)
            tallies.ownValues.checked += 1
            tallies.ownValues.violate(eventCount: 1) { [writer, key] in
                let fault = operation.valueKey == key ? "damaged" : "that of key \(operation.valueKey)"
                return writer.example("the value that was returned for key \(key) is \(fault)", [reference])
            }
        }
        var start = 0
        while start < events.values.count {
            var end = start + 1
            while end < events.values.count, events.values[end].version == events.values[start].version { end += 1 }
            addZone(start..<end)
            start = end
        }
    }

    /// Adds the zone of one version: its source and the operations that saw it.
    private mutating func addZone(_ range: Range<Int>) {
        var zone = VersionZone(version: events.values[range.lowerBound].version, events: range)
        var position = range.lowerBound
        var fetches = 0
        while position < range.upperBound {
            let event = events.values[position]
            switch event.role {
            case .write, .request:
                addSource(event, to: &zone)
            case .fetch:
                fetches += 1
                addFetch(event, to: &zone)
                if fetches > 1 { claimTwice(zone, event) }
            case .join, .hit:
                break
            }
            guard event.role.rawValue <= ValueRole.fetch.rawValue else { break }
            position += 1
        }
        zone.begin()
        addReaders(range, to: &zone)
    }

    private mutating func addSource(_ event: ValueEvent, to zone: inout VersionZone) {
        if zone.source != nil {
            let isUnanswered =
                event.role == .request && !writer.history.requests[event.reference.position].isAnswered
            if !isUnanswered { flaw = flaw ?? "version \(zone.version) of key \(key) was made twice" }
            return
        }
        zone.source = event.reference
        zone.insertStart = event.start
        zone.insertEnd = event.end
        if event.role == .request {
            zone.requestStart = writer.history.requests[event.reference.position].start
            return
        }
        zone.isWritten = true
        if event.end != .max {
            zone.isCompletedWrite = true
            zone.insertion = event.reference
        }
    }

    /// A load that fetched has inserted its value by the time it returns, or does not insert it at all.
    private func addFetch(_ event: ValueEvent, to zone: inout VersionZone) {
        // A load that reports a fetch of a written value did not insert it.
        guard !zone.isWritten else { return }
        if zone.source == nil {
            guard list != .complete else { return }
            zone.source = event.reference
            zone.insertStart = event.start
        }
        // A fetch that returned before the origin's answer is reported elsewhere, and counts as no insert.
        guard event.end >= zone.insertStart else { return }
        // Where several loads report the fetch, the last one counts as the insert.
        if zone.insertion == nil || event.end > zone.insertEnd {
            zone.insertEnd = event.end
            zone.insertion = event.reference
        }
    }

    private mutating func claimTwice(_ zone: VersionZone, _ event: ValueEvent) {
        let other = events.values[zone.events].first { $0.role == .fetch }
        tallies.counts.violate(eventCount: 2) { [writer, key] in
            writer.example(
                "two callers report that they fetched version \(writer.number(zone.version, key)) of key \(key)",
                [other?.reference, event.reference])
        }
    }

    private mutating func addReaders(_ range: Range<Int>, to zone: inout VersionZone) {
        let mayBeUnseen = list == .partial || (list == .absent && events.lostLoadCount > 0)
        var isPhantom = false
        for event in events.values[range] where event.role.rawValue >= ValueRole.fetch.rawValue {
            tallies.ownValues.checked += 1
            if zone.source == nil {
                if mayBeUnseen {
                    tallies.ownValues.undecided += 1
                } else {
                    isPhantom = true
                    tallies.ownValues.violate(eventCount: 1) { [writer, key, zone] in
                        writer.example(
                            "version \(writer.number(zone.version, key)) of key \(key) was returned, but it was never written or sent",
                            [event.reference])
                    }
                }
            } else if event.end < zone.insertStart {
                tallies.ownValues.violate(eventCount: 2) { [writer, key, zone] in
                    writer.example(
                        "version \(writer.number(zone.version, key)) of key \(key) was returned before it was written or sent",
                        [event.reference, zone.source])
                }
                continue
            }
            if event.role == .hit, !mayHaveJoined(event, zone) { zone.addHit(event) }
        }
        if !isPhantom { zones.append(zone) }
    }

    /// Whether a lookup may have waited for the load that fetched its value. Like a load that joins, it says nothing about
    /// the contents of the cache then.
    func mayHaveJoined(_ event: ValueEvent, _ zone: VersionZone) -> Bool {
        promises.lookupsJoinLoads && zone.requestStart != nil && event.start <= zone.insertEnd
    }
}
