import CacheStrategies
import TrialModel

/// Tells when a lookup that finds nothing can't be explained by an eviction.
struct RetentionIndex: Sendable {
    /// Whether an overwrite that fits, or a load, leaves its key found at every moment.
    let keepsBesideInserts: Bool
    /// From this moment on, entries may be evicted to make room for others.
    private let evictableFrom: UInt64
    /// When an entry of each key may have been inserted; `nil` where an eviction may come later than the insert.
    private let inserts: OwnedSpanCover<UInt32>?
    /// When all that may be held exceeds a limit; `nil` where the cache may evict before that.
    private let crowded: SpanCover?
    /// Writes and removals of any key.
    private let changes: SpanCover
    /// Removals of all keys.
    private let clears: SpanCover
    private let losses: [ClosedRange<UInt64>]

    /// A cache with several shards may evict in one of them before it is full. Where the strategy reports no eviction
    /// count, only the limit divided by this number counts as certainly free of evictions.
    private static var surePart: Int { 8 }
    /// The most operations whose inserts are sorted; that takes some 100 MB.
    private static var insertCountMax: Int { 1 << 22 }

    /// O(n log n) in the operations.
    init(_ history: History, _ index: HistoryIndex, _ promises: Promises, _ terms: HistoryTerms) {
        losses = history.losses
        clears = SpanCover(sorted: index.possibleClears)
        var collector = Collector(terms: terms)
        for operations in history.callers {
            for operation in operations { collector.add(operation) }
        }
        changes = SpanCover(collector.changes)
        // An entry may make room for a more expensive value of its own key, and be evicted itself.
        let isAtOnce = promises.limit != .soft && !terms.worksInBackground
        let isExact = promises.evictsOnlyWhenFull && promises.limit != .approximate
        inserts =
            isAtOnce && promises.admission == .always && !collector.costsVary
                && collector.inserts.count <= Self.insertCountMax ? OwnedSpanCover(collector.inserts) : nil
        crowded =
            isExact && collector.inserts.count <= Self.insertCountMax
            ? SpanCover(
                sorted: collector.crowded(
                    emptiedBy: isAtOnce && promises.consistency == .linearizable ? index.clears : nil)) : nil
        keepsBesideInserts = crowded != nil && isAtOnce && promises.consistency == .linearizable

        let newKeys = collector.firsts.values.sorted { $0.start < $1.start }
        func exceeding(part: Int) -> UInt64 {
            let entryLimit = terms.entryLimit.map { $0 / part } ?? .max
            let costLimit = terms.costLimit.map { $0 / part } ?? .max
            var cost = 0
            for (count, key) in newKeys.enumerated() {
                let (sum, overflows) = cost.addingReportingOverflow(key.cost)
                cost = overflows ? .max : sum
                if count + 1 > entryLimit || cost > costLimit { return key.start }
            }
            return .max
        }
        // The strategy's counters restart with every opening.
        let known = history.samples.prefix { $0.answer < history.losses.first?.lowerBound ?? .max }
        let idle = known.last { $0.evictions == 0 }?.call ?? 0
        // The measure of an approximate limit is the cache's own: any insert may evict.
        evictableFrom =
            promises.limit == .approximate || promises.admission != .always
            ? 0 : crowded != nil ? 0 : max(exceeding(part: Self.surePart), min(exceeding(part: 1), idle))
    }

    /// Whether an entry may have been evicted between two moments. O(log n).
    func mayEvict(_ key: UInt32, between start: UInt64, and end: UInt64) -> Bool {
        if end < evictableFrom || isRoomy(between: start, and: end) { return false }
        return inserts?.mayLieBetween(start, and: end, except: key) ?? true
    }

    /// Whether all that may have been held at any time between two moments fits, in a cache that then evicts nothing.
    /// O(log n).
    func isRoomy(between start: UInt64, and end: UInt64) -> Bool {
        crowded.map { !$0.mayLieBetween(start, and: end) } ?? false
    }

    /// Whether entries may have gone for a reason other than a removal of their key. O(log n).
    func mayLoseAll(between start: UInt64, and end: UInt64) -> Bool {
        clears.mayLieBetween(start, and: end) || isLost(between: start, and: end)
    }

    /// Whether entries may have gone without a call between two moments. O(log n).
    func isLost(between start: UInt64, and end: UInt64) -> Bool {
        let next = losses.partitioningIndex { $0.upperBound >= start }
        return next < losses.count && losses[next].lowerBound <= end
    }

    /// Whether any key may have been written or removed between two moments: a load in flight at that time need not
    /// insert the value that it fetched. O(log n).
    func mayOvertake(between start: UInt64, and end: UInt64) -> Bool {
        changes.mayLieBetween(start, and: end) || clears.mayLieBetween(start, and: end)
    }
}

/// Collects the facts about all operations.
private struct Collector {
    let terms: HistoryTerms
    var inserts: [OwnedSpanCover<UInt32>.Span] = []
    /// The cost of each of the inserts.
    private var costs: [Int] = []
    var changes: [EventSpan] = []
    /// Removals of one key that surely took effect.
    private var removals: [UInt32: [EventSpan]] = [:]
    /// The earliest possible insert of each key, and the highest cost that it may have.
    var firsts: [UInt32: (start: UInt64, cost: Int)] = [:]
    /// Whether values of one key differ in cost.
    var costsVary = false

    init(terms: HistoryTerms) { self.terms = terms }

    mutating func add(_ operation: OperationRecord) {
        switch operation.kind {
        case .read, .clear: break
        // It may insert at any later time.
        case .prefetch: insert(operation, until: .max)
        case .write, .remove:
            let isSure = operation.outcome == .done && operation.isAnswered
            let end = isSure ? operation.answer : .max
            let span = EventSpan(start: operation.call, end: end, reference: EventReference(caller: 0, position: 0))
            changes.append(span)
            if operation.kind == .write {
                insert(operation, until: end)
            } else if isSure {
                removals[operation.key, default: []].append(span)
            }
        case .load, .burst:
            // A cancelled load may still be in flight.
            let isOver = operation.isAnswered && operation.outcome != .cancelled
            if operation.outcome != .hit { insert(operation, until: isOver ? operation.answer : .max) }
        }
    }

    private mutating func insert(_ operation: OperationRecord, until end: UInt64) {
        inserts.append(.init(start: operation.call, end: end, owner: operation.key))
        let cost = terms.costLimit == nil ? 0 : terms.cost(operation.key, operation.version)
        // A value that costs more than the limit exceeds it alone; no sum of such costs overflows.
        costs.append(min(max(cost, 0), Int(min(terms.costLimit ?? 0, 1 << 40)) + 1))
        let known = firsts[operation.key] ?? (operation.call, cost)
        if known.cost != cost { costsVary = true }
        firsts[operation.key] = (min(known.start, operation.call), max(known.cost, cost))
    }

    /// When more may be held than a limit allows, sorted by start: every key counts from its first insert to a removal
    /// that no insert of the key overlaps, with its highest cost in that time. O(n log n).
    ///
    /// - Parameter clears: removals of all keys; `nil` where what was removed may count for longer.
    func crowded(emptiedBy clears: [EventSpan]?) -> [EventSpan] {
        var changes: [(moment: UInt64, entries: Int, cost: Int)] = []
        for (key, own) in Dictionary(grouping: inserts.indices, by: { inserts[$0].owner }) {
            let gone = clears.map { (removals[key] ?? []) + $0 }?.sorted { $0.end < $1.end } ?? []
            var next = gone[...]
            var present: (start: UInt64, end: UInt64, cost: Int)?
            for place in own.sorted(by: { inserts[$0].start < inserts[$1].start }) {
                let insert = inserts[place]
                while let removal = next.first, removal.end < insert.start {
                    next.removeFirst()
                    guard let held = present, held.end < removal.start else { continue }
                    changes += [(held.start, 1, held.cost), (removal.end, -1, -held.cost)]
                    present = nil
                }
                present = (
                    present?.start ?? insert.start, max(present?.end ?? 0, insert.end),
                    max(present?.cost ?? 0, costs[place])
                )
            }
            guard let held = present else { continue }
            changes.append((held.start, 1, held.cost))
            if let removal = next.first(where: { held.end < $0.start }) {
                changes.append((removal.end, -1, -held.cost))
            }
        }
        return spans(of: changes)
    }

    /// At one moment, what comes counts before what goes.
    ///
    /// Under two limits a cache may give each entry a part of one capacity: its share of the entries or of the cost, whichever is
    /// more. Such a cache is full before either limit is reached.
    private func spans(of changes: [(moment: UInt64, entries: Int, cost: Int)]) -> [EventSpan] {
        var spans: [EventSpan] = []
        var (entries, cost, since) = (0, 0, UInt64?.none)
        var parts = CapacityParts(terms)
        func note(until end: UInt64) {
            guard let start = since else { return }
            spans.append(EventSpan(start: start, end: end, reference: EventReference(caller: 0, position: 0)))
        }
        for change in changes.sorted(by: { ($0.moment, -$0.entries) < ($1.moment, -$1.entries) }) {
            entries += change.entries
            cost += change.cost
            parts.note(change.cost)
            let isOver = entries > terms.entryLimit ?? .max || cost > terms.costLimit ?? .max || parts.isOver(entries)
            if isOver, since == nil { since = change.moment }
            if !isOver, since != nil {
                note(until: change.moment)
                since = nil
            }
        }
        note(until: .max)
        return spans
    }
}

/// What the entries take of the one capacity to which a cache may turn two limits; nothing where there is one limit.
private struct CapacityParts {
    private static let whole = Double(1 << 40)
    private let limits: (entries: Double, cost: Double)?
    /// The entries that cost more than their equal share, and what they take, in parts of ``whole``.
    private var (dearCount, dearParts) = (0, 0)

    init(_ terms: HistoryTerms) {
        guard let entries = terms.entryLimit, let cost = terms.costLimit, entries > 0, cost > 0 else {
            limits = nil
            return
        }
        limits = (Double(entries), Double(cost))
    }

    /// An entry of a cost comes, or goes where it is negative.
    mutating func note(_ cost: Int) {
        guard let limits, Double(cost.magnitude) * limits.entries > limits.cost else { return }
        // Costs are bounded by the limit, and 512 parts are what a cache with weights of 32 bits may round up.
        let parts = Int((min(Double(cost.magnitude) / limits.cost, 2) * Self.whole).rounded(.up)) + 512
        dearCount += cost.signum()
        dearParts += cost.signum() * parts
    }

    func isOver(_ entries: Int) -> Bool {
        guard let limits, dearCount > 0 else { return false }
        return Double(entries - dearCount) / limits.entries + Double(dearParts) / Self.whole > 1
    }
}
