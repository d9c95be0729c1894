import CacheStrategies
import HistoryChecking
import Origins
import Platform
import TimedStrategies
import TrialModel

/// What one client records in a phase with invalidation: hits in the order of time, which version of a key it saw
/// between which events, and when each version was requested.
struct InvalidationMetrics: Instrument {
    /// Answers in a row with one version of a key, all requested after the same events.
    struct Sighting: Sendable {
        var key: UInt32
        var version: UInt64
        /// How many events had ended when the answers were requested.
        var events: Int
        /// When the first of the answers came.
        var firstEnd: UInt64
        var count: UInt64 = 1
    }

    /// A load that did not find its value, or a write.
    struct Request: Sendable {
        var key: UInt32
        /// The version that it put into the cache; 0 where it is not known.
        var version: UInt64 = 0
        /// When the origin was asked, or the write returned: until then it may have come before any event; `nil` where it is
        /// not known.
        var asked: UInt64?
        var span: TimeSpan
        var isLoad = true
    }

    private(set) var blocks = LookupBlocks()
    private(set) var sightings: [Sighting] = []
    private(set) var requests: [Request] = []
    /// Whether something was left out because there was too much.
    private(set) var isFull = false
    private let log: InvalidationLog
    private var events: [InvalidationEvents.Event] = []
    /// The position of each key's last sighting; -1 without one.
    private var last: [Int32]

    private static let countMax = 1 << 18

    init(_ log: InvalidationLog, keyCount: Int) {
        self.log = log
        last = Array(repeating: -1, count: keyCount)
    }

    /// Its memory, in bytes.
    var footprintBytes: UInt64 {
        UInt64(
            blocks.ended.capacity * MemoryLayout<LookupBlock>.stride
                + sightings.capacity * MemoryLayout<Sighting>.stride
                + requests.capacity * MemoryLayout<Request>.stride + last.capacity * MemoryLayout<Int32>.stride)
    }

    mutating func record(_ ended: EndedOperation) {
        let eventCount = events.count
        log.update(&events)
        if events.count > eventCount { blocks.restart() }
        blocks.record(ended.span, ended.outcome)
        let version = (ended.answer.answer.value ?? ended.written)?.identity.version ?? 0
        if ended.outcome == .hit || ended.outcome == .joined { see(ended, version) }
        var request = Request(key: ended.key, span: ended.span)
        if ended.kind == .write {
            (request.version, request.asked, request.isLoad) = (version, ended.span.end, false)
        } else if ended.isLoadThatMissed {
            // The fetch of another caller has another note.
            if case .loaded = ended.answer.answer, ended.fetch.isWithin(ended.span) {
                (request.version, request.asked) = (version, ended.fetch.lastBegan)
            }
        } else {
            return
        }
        if requests.count < Self.countMax { requests.append(request) } else { isFull = true }
    }

    private mutating func see(_ ended: EndedOperation, _ version: UInt64) {
        var known = events.count
        while known > 0, events[known - 1].ended > ended.span.start { known -= 1 }
        let key = Int(ended.key)
        let position = Int(last[key])
        if position >= 0, sightings[position].version == version, sightings[position].events == known {
            sightings[position].count &+= 1
        } else if sightings.count < Self.countMax {
            last[key] = Int32(sightings.count)
            sightings.append(
                Sighting(key: ended.key, version: version, events: known, firstEnd: ended.span.end))
        } else {
            isFull = true
        }
    }

    mutating func merge(_ other: InvalidationMetrics) {
        blocks.merge(other.blocks)
        sightings += other.sightings
        requests += other.requests
        isFull = isFull || other.isFull
    }

    func addRows(to result: inout PhaseResult, of phase: PhaseSummary) {
        guard let invalidation = phase.phase.invalidation else { return }
        let summary = InvalidationSummary(
            invalidation: invalidation, events: phase.invalidations, metrics: self, seed: phase.scenario.seed)
        let (row, stale) = summary.row(key: phase.key)
        result.invalidation = row
        // Elsewhere a caller may see the changes of others later.
        if let stale, phase.promises.judgedByHistory.contains(.newerWritesWin),
            phase.promises.consistency == .linearizable
        {
            result.trial.wrongAnswers = (result.trial.wrongAnswers ?? 0) &+ (row.staleAnswers ?? 0)
            if result.trial.reason.isEmpty { result.trial.reason = stale }
        }
    }
}

/// The row of a phase with invalidation, from the events and the records of all clients.
struct InvalidationSummary {
    let invalidation: Invalidation
    let events: [InvalidationEvents.Event]
    let metrics: InvalidationMetrics
    let seed: UInt64

    /// The row, and the first stale answer in words. O(n log n) in what was recorded, and in the events of each.
    func row(key: RowKey) -> (row: InvalidationRow, stale: String?) {
        var row = InvalidationRow(key: key)
        row.events = UInt64(events.count)
        row.keysRemoved = events.reduce(0) { $0 + $1.keysRemoved }
        row.eventNanoseconds = Self.median(events.map { Nanoclock.elapsed(from: $0.began, to: $0.ended) })
        addRecovery(to: &row)
        guard !metrics.isFull else { return (row, nil) }
        row.loadsInFlight = loadsInFlight
        let stale = staleSightings
        row.staleAnswers = stale.reduce(0) { $0 &+ $1.sighting.count }
        row.staleKeys = UInt64(Set(stale.map { Place(key: $0.sighting.key, event: $0.event) }).count)
        let words = stale.first.map {
            "key \($0.sighting.key): event \($0.event + 1) removed it, and \($0.sighting.count) later answers had a value "
                + "that was requested before the event"
        }
        return (row, words)
    }

    private struct Place: Hashable {
        var key: UInt32
        var event: Int
    }

    /// The medians over the events; a hit ratio needs the whole window.
    private func addRecovery(to row: inout InvalidationRow) {
        let blocks = metrics.blocks.all.sorted { $0.end < $1.end }[...]
        var (before, after, times): ([Double], [Double], [UInt64]) = ([], [], [])
        for (number, event) in events.enumerated() {
            let next = number + 1 < events.count ? events[number + 1].began : .max
            let ratio = Self.lastRatio(of: blocks, before: event.began)
            let since = blocks[blocks.partitioningIndex { $0.end >= event.ended }...].prefix { $0.end <= next }
            let recovery = HitRecovery(since.filter { $0.start >= event.ended }, from: ratio)
            if let ratio { before.append(ratio) }
            if let first = recovery.first { after.append(first) }
            times.append(recovery.time.map { Nanoclock.elapsed(from: event.ended, to: $0) } ?? .max)
        }
        (row.hitRatioBefore, row.hitRatioAfter) = (Self.median(before), Self.median(after))
        row.eventsRecovered = UInt64(times.count { $0 < .max })
        row.recoveryNanoseconds = Self.median(times).flatMap { $0 < .max ? $0 : nil }
    }

    /// The hit ratio of the last lookups that ended before a moment.
    private static func lastRatio(of blocks: ArraySlice<LookupBlock>, before moment: UInt64) -> Double? {
        var (lookups, hits): (UInt64, UInt64) = (0, 0)
        for block in blocks[..<blocks.partitioningIndex { $0.end > moment }].reversed() {
            lookups &+= block.lookups
            hits &+= block.hits
            if lookups >= HitRecovery.window { return Double(hits) / Double(lookups) }
        }
        return nil
    }

    /// How many loads of removed keys were in flight while an event began or went on, counted for each event.
    private var loadsInFlight: UInt64 {
        var count: UInt64 = 0
        for load in metrics.requests where load.isLoad {
            var number = events.partitioningIndex { $0.ended > load.span.start }
            while number < events.count, events[number].began < load.span.end {
                if invalidation.removes(load.key, event: number, seed: seed) { count += 1 }
                number += 1
            }
        }
        return count
    }

    /// Answers that were requested after an event removed their key, and whose value was requested before the event
    /// began, each with the number of the event.
    private var staleSightings: [(sighting: InvalidationMetrics.Sighting, event: Int)] {
        let known = requestTimes()
        let loaded = Set(metrics.requests.lazy.map(\.key))
        return metrics.sightings.compactMap { sighting in
            let removed = (0..<min(sighting.events, events.count)).last {
                invalidation.removes(sighting.key, event: $0, seed: seed)
            }
            guard let removed else { return nil }
            let version = Version(key: sighting.key, number: sighting.version)
            // A key that was not requested in this phase has a value of an earlier phase.
            guard let began = loaded.contains(sighting.key) ? known[version] : 0 else { return nil }
            return began < events[removed].began ? (sighting, removed) : nil
        }
    }

    private struct Version: Hashable {
        var key: UInt32
        var number: UInt64
    }

    /// The latest time at which each version can have been requested: when the origin was asked, the write returned, or the
    /// version was first seen.
    private func requestTimes() -> [Version: UInt64] {
        var times: [Version: UInt64] = [:]
        for sighting in metrics.sightings {
            times[Version(key: sighting.key, number: sighting.version), default: .max].lower(to: sighting.firstEnd)
        }
        for request in metrics.requests {
            guard let asked = request.asked else { continue }
            times[Version(key: request.key, number: request.version), default: .max].lower(to: asked)
        }
        return times
    }

    /// The lower of the two middle ones; `nil` without any.
    private static func median<Number: Comparable>(_ numbers: [Number]) -> Number? {
        numbers.isEmpty ? nil : numbers.sorted()[(numbers.count - 1) / 2]
    }
}

extension UInt64 {
    fileprivate mutating func lower(to other: UInt64) { self = Swift.min(self, other) }
}
