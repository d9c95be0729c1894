import CacheStrategies
import TrialModel

// Entries that are not found although nothing can have removed them.

extension KeyCheck {
    /// Judges ``Promise/retention``. O(n log n) in the operations of the key.
    ///
    /// An entry that was inserted or seen must be found by a lookup that begins afterwards, unless it may have been
    /// removed, evicted or released since, or its lifetime may be over. Where a cache promises to evict only when it is
    /// full, an eviction is impossible while all that may be held fits, and an overwrite that fits shows the old value or
    /// the new one. Elsewhere an eviction is impossible while fewer keys were inserted than the limit has room for, or
    /// as long as no other key is inserted, and a lookup that overlaps a write or a load of its key proves nothing.
    ///
    /// A load that overlaps a change of any key proves no insert: it may be right not to insert its value. A lookup
    /// counts as checked only if finding nothing would have been a loss; one that found nothing and may be right counts
    /// as excused.
    mutating func judgeRetention(key rank: Int, _ index: RetentionIndex) {
        var past = KeyPast(self, rank, index)
        past.close(index)
        let resolution = promises.timeToLive.resolution
        for lookup in past.lookups {
            guard let seen = past.presence(before: lookup, ofOneCaller: promises.consistency != .linearizable) else {
                continue
            }
            if past.isExplained(lookup, since: seen, index, resolution) {
                if lookup.isMiss { tallies.retention.excused += 1 }
            } else {
                tallies.retention.checked += 1
                if lookup.isMiss { noteLoss(seen, lookup) }
            }
        }
    }

    private mutating func noteLoss(_ seen: KeyPast.Presence, _ miss: KeyPast.Lookup) {
        tallies.retention.violate(eventCount: 2) { [writer, key] in
            let how = writer.operation(seen.reference).kind == .write ? "its insert had returned" : "it had been there"
            return writer.example(
                "key \(key) was not found after \(how), and nothing can have removed or evicted it",
                [seen.reference, miss.reference])
        }
    }
}

/// The events of one key that may explain why it isn't found.
private struct KeyPast {
    /// The entry was held at some moment between start and end.
    struct Presence {
        var start: UInt64
        var end: UInt64
        var reference: EventReference
        /// When its lifetime may have ended, in nanoseconds; `.max` where it has none.
        var expiry: UInt64
    }

    /// A lookup.
    struct Lookup {
        var start: UInt64
        var end: UInt64
        var reference: EventReference
        /// Whether it found nothing.
        var isMiss: Bool
    }

    let key: UInt32
    private(set) var lookups: [Lookup] = []
    private var presences: [Presence] = []
    private var removals: [EventSpan] = []
    private var writes: [EventSpan] = []
    /// Those whose effect isn't certain: they may have been refused, and then have removed the old value.
    private var unsureWrites: [EventSpan] = []
    private var loads: [OwnedSpanCover<EventReference>.Span] = []

    // Built once all events are known.
    private var removalCover = SpanCover([])
    private var writeCover = SpanCover([])
    private var unsureWriteCover = SpanCover([])
    private var loadCover = OwnedSpanCover<EventReference>([])
    /// For each presence, in the order of their ends, the index of the one so far that began last.
    private var latest: [Int] = []

    init(_ check: borrowing KeyCheck, _ rank: Int, _ index: RetentionIndex) {
        key = check.key
        let lifetime = check.promises.timeToLive.kind == .none ? nil : check.terms?.lifetime(check.key)
        for reference in check.index.operations(ofKey: rank) {
            let operation = check.writer.operation(reference)
            switch operation.kind {
            case .read: addRead(operation, reference, check, lifetime)
            case .load, .burst: addLoad(operation, reference, check, lifetime, index)
            case .write, .remove:
                let isSure = operation.outcome == .done && operation.isAnswered
                let span = EventSpan(
                    start: operation.call, end: isSure ? operation.answer : .max, reference: reference)
                guard operation.kind == .write else {
                    removals.append(span)
                    continue
                }
                writes.append(span)
                if !isSure { unsureWrites.append(span) }
                if isSure { addPresence(operation, reference, since: lifetime.map { _ in operation.call }, lifetime) }
            case .clear, .prefetch: break
            }
        }
    }

    private mutating func addRead(
        _ operation: OperationRecord, _ reference: EventReference, _ check: borrowing KeyCheck, _ lifetime: UInt64?
    ) {
        guard operation.isAnswered else { return }
        let isMiss = operation.outcome != .hit
        lookups.append(
            Lookup(start: operation.call, end: operation.answer, reference: reference, isMiss: isMiss))
        if !isMiss {
            addPresence(operation, reference, since: check.zone(ofVersion: operation.version)?.insertStart, lifetime)
        }
    }

    private mutating func addLoad(
        _ operation: OperationRecord, _ reference: EventReference, _ check: borrowing KeyCheck, _ lifetime: UInt64?,
        _ index: RetentionIndex
    ) {
        guard operation.isAnswered else {
            return loads.append(.init(start: operation.call, end: .max, owner: reference))
        }
        if operation.outcome != .hit {
            let end = operation.outcome == .cancelled ? UInt64.max : operation.answer
            loads.append(.init(start: operation.call, end: end, owner: reference))
        }
        guard operation.outcome == .hit || operation.outcome == .miss else { return }
        let zone = check.zone(ofVersion: operation.version)
        let isMiss = operation.outcome == .miss
        // The load looked the key up before it sent its request.
        let asked = isMiss ? zone?.requestStart.map { max($0, operation.call) } : nil
        lookups.append(
            Lookup(
                start: operation.call, end: min(asked ?? .max, operation.answer), reference: reference, isMiss: isMiss))
        if isMiss {
            if index.mayOvertake(between: operation.call, and: operation.answer) { return }
        }
        addPresence(operation, reference, since: zone?.insertStart, lifetime)
    }

    /// - Parameter start: the earliest moment at which the entry's lifetime can have begun; `nil` where it isn't
    ///   known.
    private mutating func addPresence(
        _ operation: OperationRecord, _ reference: EventReference, since start: UInt64?, _ lifetime: UInt64?
    ) {
        let expiry = lifetime.map { lifetime in start.map { $0.addingClamped(lifetime) } ?? 0 } ?? .max
        presences.append(
            Presence(start: operation.call, end: operation.answer, reference: reference, expiry: expiry))
    }

    /// Ends the collection of events and builds the indexes for queries.
    mutating func close(_ index: RetentionIndex) {
        // The lifetime of its entry may have begun before the loss, and be over when the entry replaces a newer one.
        unsureWrites += writes.filter { index.isLost(between: $0.start, and: $0.end) }
        unsureWrites += loads.filter { index.isLost(between: $0.start, and: $0.end) }
            .map { EventSpan(start: $0.start, end: $0.end, reference: $0.owner) }
        removalCover = SpanCover(removals)
        writeCover = SpanCover(writes)
        unsureWriteCover = SpanCover(unsureWrites)
        loadCover = OwnedSpanCover(loads)
        presences.sort { $0.end < $1.end }
        latest.reserveCapacity(presences.count)
        for (place, presence) in presences.enumerated() {
            let best = latest.last ?? place
            latest.append(presence.start >= presences[best].start ? place : best)
        }
    }

    /// Among the presences that had ended before a lookup, the one that began last; only those of the same caller
    /// where other callers may see the entry later. O(log n), or O(n) for one caller's.
    func presence(before lookup: Lookup, ofOneCaller: Bool) -> Presence? {
        let later = presences.partitioningIndex { $0.end >= lookup.start }
        guard later > 0 else { return nil }
        guard ofOneCaller else { return presences[latest[later - 1]] }
        return presences[..<later].last { $0.reference.caller == lookup.reference.caller }
    }

    /// Whether the entry may have gone since the presence, or may be about to be replaced.
    func isExplained(_ lookup: Lookup, since seen: Presence, _ index: RetentionIndex, _ resolution: Duration) -> Bool {
        if removalCover.mayLieBetween(seen.start, and: lookup.end)
            || index.mayLoseAll(between: seen.start, and: lookup.end)
            || unsureWriteCover.mayLieBetween(seen.start, and: lookup.end)
        {
            return true
        }
        let keepsWhileReplaced = index.keepsBesideInserts && index.isRoomy(between: seen.start, and: lookup.end)
        if !keepsWhileReplaced,
            writeCover.mayLieBetween(lookup.start, and: lookup.end)
                || loadCover.mayLieBetween(lookup.start, and: lookup.end, except: lookup.reference)
        {
            return true
        }
        let margin = resolution.nanoseconds.addingClamped(KeyCheck.clockTolerance)
        if seen.expiry != .max, lookup.end.addingClamped(margin) >= seen.expiry { return true }
        return index.mayEvict(key, between: seen.start, and: lookup.end)
    }
}
